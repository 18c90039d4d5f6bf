var hierarchy =
[
    [ "larmor::Arena", "classlarmor_1_1Arena.html", null ],
    [ "larmor::Array< T >", "classlarmor_1_1Array.html", null ],
    [ "larmor::Array< C >", "classlarmor_1_1Array.html", null ],
    [ "larmor::Array< double >", "classlarmor_1_1Array.html", null ],
    [ "larmor::Array< float >", "classlarmor_1_1Array.html", null ],
    [ "larmor::Array< std::complex< double > >", "classlarmor_1_1Array.html", null ],
    [ "larmor::Array< std::complex< float > >", "classlarmor_1_1Array.html", null ],
    [ "larmor::Array< std::complex< T > >", "classlarmor_1_1Array.html", null ],
    [ "larmor::AutomaticCandidate", "structlarmor_1_1AutomaticCandidate.html", null ],
    [ "larmor::AutomaticChoice", "structlarmor_1_1AutomaticChoice.html", null ],
    [ "larmor::CalibrationOptions", "structlarmor_1_1CalibrationOptions.html", null ],
    [ "larmor::CalibrationRegion", "structlarmor_1_1CalibrationRegion.html", null ],
    [ "larmor::ChannelOptions", "structlarmor_1_1ChannelOptions.html", [
      [ "larmor::PrepareOptions", "structlarmor_1_1PrepareOptions.html", null ]
    ] ],
    [ "larmor::ChannelPlan", "structlarmor_1_1ChannelPlan.html", null ],
    [ "larmor::Checkpoint< T >", "structlarmor_1_1Checkpoint.html", null ],
    [ "larmor::CirculantPreconditionerOptions", "structlarmor_1_1CirculantPreconditionerOptions.html", null ],
    [ "larmor::CoilOptions", "structlarmor_1_1CoilOptions.html", null ],
    [ "larmor::Communicator", "classlarmor_1_1Communicator.html", null ],
    [ "larmor::ComplexValue< T >", "structlarmor_1_1ComplexValue.html", null ],
    [ "larmor::Context", "classlarmor_1_1Context.html", null ],
    [ "larmor::ContextOptions", "structlarmor_1_1ContextOptions.html", null ],
    [ "larmor::ProblemSolver< T >::Data", "structlarmor_1_1ProblemSolver_1_1Data.html", null ],
    [ "larmor::DelayEstimate", "structlarmor_1_1DelayEstimate.html", null ],
    [ "larmor::Device", "structlarmor_1_1Device.html", null ],
    [ "larmor::DotPair< T >", "structlarmor_1_1DotPair.html", null ],
    [ "larmor::Encoding", "structlarmor_1_1Encoding.html", null ],
    [ "larmor::EspiritOptions", "structlarmor_1_1EspiritOptions.html", null ],
    [ "larmor::EstimatedDensity", "structlarmor_1_1EstimatedDensity.html", null ],
    [ "larmor::EstimatedMaps", "structlarmor_1_1EstimatedMaps.html", null ],
    [ "larmor::RankSegment::Failure", "structlarmor_1_1RankSegment_1_1Failure.html", null ],
    [ "larmor::FftPlan< T >", "classlarmor_1_1FftPlan.html", null ],
    [ "larmor::FieldArrays", "structlarmor_1_1FieldArrays.html", null ],
    [ "larmor::FieldMap", "structlarmor_1_1FieldMap.html", null ],
    [ "larmor::FoundLambda< T >", "structlarmor_1_1FoundLambda.html", null ],
    [ "larmor::FrameOptions", "structlarmor_1_1FrameOptions.html", null ],
    [ "larmor::Frames", "structlarmor_1_1Frames.html", null ],
    [ "larmor::FrameSegments", "structlarmor_1_1FrameSegments.html", null ],
    [ "larmor::FrameWindow", "structlarmor_1_1FrameWindow.html", null ],
    [ "larmor::GivenPrior", "structlarmor_1_1GivenPrior.html", null ],
    [ "larmor::GradientDelay", "structlarmor_1_1GradientDelay.html", null ],
    [ "larmor::Grid", "structlarmor_1_1Grid.html", null ],
    [ "larmor::GridOptions", "structlarmor_1_1GridOptions.html", null ],
    [ "larmor::Grids", "structlarmor_1_1Grids.html", null ],
    [ "larmor::Image", "structlarmor_1_1Image.html", null ],
    [ "larmor::ImageCounters", "structlarmor_1_1ImageCounters.html", null ],
    [ "larmor::ImageGeometry", "structlarmor_1_1ImageGeometry.html", null ],
    [ "larmor::ImageLayout", "structlarmor_1_1ImageLayout.html", null ],
    [ "larmor::ImageReport", "structlarmor_1_1ImageReport.html", null ],
    [ "larmor::ImageSeries", "structlarmor_1_1ImageSeries.html", null ],
    [ "larmor::IndexRange", "structlarmor_1_1IndexRange.html", null ],
    [ "larmor::IrgnmOptions< T >", "structlarmor_1_1IrgnmOptions.html", null ],
    [ "larmor::IsmrmrdReadOptions", "structlarmor_1_1IsmrmrdReadOptions.html", null ],
    [ "larmor::MemoryPlan::Item", "structlarmor_1_1MemoryPlan_1_1Item.html", null ],
    [ "larmor::L1Options", "structlarmor_1_1L1Options.html", null ],
    [ "larmor::LambdaChoice", "structlarmor_1_1LambdaChoice.html", null ],
    [ "larmor::LambdaSearchOptions", "structlarmor_1_1LambdaSearchOptions.html", null ],
    [ "larmor::LambdaTrial", "structlarmor_1_1LambdaTrial.html", null ],
    [ "larmor::LinearOperator< T >", "classlarmor_1_1LinearOperator.html", [
      [ "larmor::OperatorBase< Adjoint< T >, T >", "classlarmor_1_1OperatorBase.html", [
        [ "larmor::TwoWayOperator< Adjoint< T >, T >", "classlarmor_1_1TwoWayOperator.html", [
          [ "larmor::OperatorOfParts< Adjoint< T >, T >", "classlarmor_1_1OperatorOfParts.html", [
            [ "larmor::Adjoint< T >", "classlarmor_1_1Adjoint.html", null ]
          ] ]
        ] ]
      ] ],
      [ "larmor::OperatorBase< AxisMatrix< T >, T >", "classlarmor_1_1OperatorBase.html", [
        [ "larmor::TwoWayOperator< AxisMatrix< T >, T >", "classlarmor_1_1TwoWayOperator.html", [
          [ "larmor::AxisMatrix< T >", "classlarmor_1_1AxisMatrix.html", null ]
        ] ]
      ] ],
      [ "larmor::OperatorBase< BasisNufft< T >, T >", "classlarmor_1_1OperatorBase.html", [
        [ "larmor::TwoWayOperator< BasisNufft< T >, T >", "classlarmor_1_1TwoWayOperator.html", [
          [ "larmor::BasisNufft< T >", "classlarmor_1_1BasisNufft.html", null ]
        ] ]
      ] ],
      [ "larmor::OperatorBase< Batched< T >, T >", "classlarmor_1_1OperatorBase.html", [
        [ "larmor::TwoWayOperator< Batched< T >, T >", "classlarmor_1_1TwoWayOperator.html", [
          [ "larmor::OperatorOfParts< Batched< T >, T >", "classlarmor_1_1OperatorOfParts.html", [
            [ "larmor::Batched< T >", "classlarmor_1_1Batched.html", null ]
          ] ]
        ] ]
      ] ],
      [ "larmor::OperatorBase< BlockDiag< T >, T >", "classlarmor_1_1OperatorBase.html", [
        [ "larmor::TwoWayOperator< BlockDiag< T >, T >", "classlarmor_1_1TwoWayOperator.html", [
          [ "larmor::OperatorOfParts< BlockDiag< T >, T >", "classlarmor_1_1OperatorOfParts.html", [
            [ "larmor::BlockDiag< T >", "classlarmor_1_1BlockDiag.html", null ]
          ] ]
        ] ]
      ] ],
      [ "larmor::OperatorBase< Blocks< T >, T >", "classlarmor_1_1OperatorBase.html", [
        [ "larmor::TwoWayOperator< Blocks< T >, T >", "classlarmor_1_1TwoWayOperator.html", [
          [ "larmor::Blocks< T >", "classlarmor_1_1Blocks.html", null ]
        ] ]
      ] ],
      [ "larmor::OperatorBase< CoilMaps< T >, T >", "classlarmor_1_1OperatorBase.html", [
        [ "larmor::TwoWayOperator< CoilMaps< T >, T >", "classlarmor_1_1TwoWayOperator.html", [
          [ "larmor::CoilMaps< T >", "classlarmor_1_1CoilMaps.html", null ]
        ] ]
      ] ],
      [ "larmor::OperatorBase< Composition< T >, T >", "classlarmor_1_1OperatorBase.html", [
        [ "larmor::TwoWayOperator< Composition< T >, T >", "classlarmor_1_1TwoWayOperator.html", [
          [ "larmor::OperatorOfParts< Composition< T >, T >", "classlarmor_1_1OperatorOfParts.html", [
            [ "larmor::Composition< T >", "classlarmor_1_1Composition.html", null ]
          ] ]
        ] ]
      ] ],
      [ "larmor::OperatorBase< Crop< T >, T >", "classlarmor_1_1OperatorBase.html", [
        [ "larmor::TwoWayOperator< Crop< T >, T >", "classlarmor_1_1TwoWayOperator.html", [
          [ "larmor::Crop< T >", "classlarmor_1_1Crop.html", null ]
        ] ]
      ] ],
      [ "larmor::OperatorBase< Diagonal< T >, T >", "classlarmor_1_1OperatorBase.html", [
        [ "larmor::TwoWayOperator< Diagonal< T >, T >", "classlarmor_1_1TwoWayOperator.html", [
          [ "larmor::Diagonal< T >", "classlarmor_1_1Diagonal.html", null ]
        ] ]
      ] ],
      [ "larmor::OperatorBase< Fft< T >, T >", "classlarmor_1_1OperatorBase.html", [
        [ "larmor::TwoWayOperator< Fft< T >, T >", "classlarmor_1_1TwoWayOperator.html", [
          [ "larmor::Fft< T >", "classlarmor_1_1Fft.html", null ]
        ] ]
      ] ],
      [ "larmor::OperatorBase< Gradient< T >, T >", "classlarmor_1_1OperatorBase.html", [
        [ "larmor::TwoWayOperator< Gradient< T >, T >", "classlarmor_1_1TwoWayOperator.html", [
          [ "larmor::Gradient< T >", "classlarmor_1_1Gradient.html", null ]
        ] ]
      ] ],
      [ "larmor::OperatorBase< HStack< T >, T >", "classlarmor_1_1OperatorBase.html", [
        [ "larmor::OperatorOfParts< HStack< T >, T, OperatorBase< HStack< T >, T > >", "classlarmor_1_1OperatorOfParts.html", [
          [ "larmor::HStack< T >", "classlarmor_1_1HStack.html", null ]
        ] ]
      ] ],
      [ "larmor::OperatorBase< Identity< T >, T >", "classlarmor_1_1OperatorBase.html", [
        [ "larmor::TwoWayOperator< Identity< T >, T >", "classlarmor_1_1TwoWayOperator.html", [
          [ "larmor::Identity< T >", "classlarmor_1_1Identity.html", null ]
        ] ]
      ] ],
      [ "larmor::OperatorBase< MatrixToeplitz< T >, T >", "classlarmor_1_1OperatorBase.html", [
        [ "larmor::TwoWayOperator< MatrixToeplitz< T >, T >", "classlarmor_1_1TwoWayOperator.html", [
          [ "larmor::MatrixToeplitz< T >", "classlarmor_1_1MatrixToeplitz.html", null ]
        ] ]
      ] ],
      [ "larmor::OperatorBase< Nudft< T >, T >", "classlarmor_1_1OperatorBase.html", [
        [ "larmor::Nudft< T >", "classlarmor_1_1Nudft.html", null ]
      ] ],
      [ "larmor::OperatorBase< Nufft< T >, T >", "classlarmor_1_1OperatorBase.html", [
        [ "larmor::TwoWayOperator< Nufft< T >, T >", "classlarmor_1_1TwoWayOperator.html", [
          [ "larmor::Nufft< T >", "classlarmor_1_1Nufft.html", null ]
        ] ]
      ] ],
      [ "larmor::OperatorBase< Pad< T >, T >", "classlarmor_1_1OperatorBase.html", [
        [ "larmor::TwoWayOperator< Pad< T >, T >", "classlarmor_1_1TwoWayOperator.html", [
          [ "larmor::Pad< T >", "classlarmor_1_1Pad.html", null ]
        ] ]
      ] ],
      [ "larmor::OperatorBase< Remainder< T >, T >", "classlarmor_1_1OperatorBase.html", [
        [ "larmor::OperatorOfParts< Remainder< T >, T, OperatorBase< Remainder< T >, T > >", "classlarmor_1_1OperatorOfParts.html", [
          [ "larmor::Remainder< T >", "classlarmor_1_1Remainder.html", null ]
        ] ]
      ] ],
      [ "larmor::OperatorBase< Reshaped< T >, T >", "classlarmor_1_1OperatorBase.html", [
        [ "larmor::TwoWayOperator< Reshaped< T >, T >", "classlarmor_1_1TwoWayOperator.html", [
          [ "larmor::OperatorOfParts< Reshaped< T >, T >", "classlarmor_1_1OperatorOfParts.html", [
            [ "larmor::Reshaped< T >", "classlarmor_1_1Reshaped.html", null ]
          ] ]
        ] ]
      ] ],
      [ "larmor::OperatorBase< Scaled< T >, T >", "classlarmor_1_1OperatorBase.html", [
        [ "larmor::TwoWayOperator< Scaled< T >, T >", "classlarmor_1_1TwoWayOperator.html", [
          [ "larmor::OperatorOfParts< Scaled< T >, T >", "classlarmor_1_1OperatorOfParts.html", [
            [ "larmor::Scaled< T >", "classlarmor_1_1Scaled.html", null ]
          ] ]
        ] ]
      ] ],
      [ "larmor::OperatorBase< SenseMatrixToeplitz< T >, T >", "classlarmor_1_1OperatorBase.html", [
        [ "larmor::TwoWayOperator< SenseMatrixToeplitz< T >, T >", "classlarmor_1_1TwoWayOperator.html", [
          [ "larmor::SenseMatrixToeplitz< T >", "classlarmor_1_1SenseMatrixToeplitz.html", null ]
        ] ]
      ] ],
      [ "larmor::OperatorBase< Sum< T >, T >", "classlarmor_1_1OperatorBase.html", [
        [ "larmor::TwoWayOperator< Sum< T >, T >", "classlarmor_1_1TwoWayOperator.html", [
          [ "larmor::OperatorOfParts< Sum< T >, T >", "classlarmor_1_1OperatorOfParts.html", [
            [ "larmor::Sum< T >", "classlarmor_1_1Sum.html", null ]
          ] ]
        ] ]
      ] ],
      [ "larmor::OperatorBase< SymmetrizedGradient< T >, T >", "classlarmor_1_1OperatorBase.html", [
        [ "larmor::TwoWayOperator< SymmetrizedGradient< T >, T >", "classlarmor_1_1TwoWayOperator.html", [
          [ "larmor::SymmetrizedGradient< T >", "classlarmor_1_1SymmetrizedGradient.html", null ]
        ] ]
      ] ],
      [ "larmor::OperatorBase< TgvDifferences< T >, T >", "classlarmor_1_1OperatorBase.html", [
        [ "larmor::TwoWayOperator< TgvDifferences< T >, T >", "classlarmor_1_1TwoWayOperator.html", [
          [ "larmor::TgvDifferences< T >", "classlarmor_1_1TgvDifferences.html", null ]
        ] ]
      ] ],
      [ "larmor::OperatorBase< VStack< T >, T >", "classlarmor_1_1OperatorBase.html", [
        [ "larmor::OperatorOfParts< VStack< T >, T, OperatorBase< VStack< T >, T > >", "classlarmor_1_1OperatorOfParts.html", [
          [ "larmor::VStack< T >", "classlarmor_1_1VStack.html", null ]
        ] ]
      ] ],
      [ "larmor::OperatorBase< Wavelet< T >, T >", "classlarmor_1_1OperatorBase.html", [
        [ "larmor::TwoWayOperator< Wavelet< T >, T >", "classlarmor_1_1TwoWayOperator.html", [
          [ "larmor::Wavelet< T >", "classlarmor_1_1Wavelet.html", null ]
        ] ]
      ] ],
      [ "larmor::Operator< T >", "classlarmor_1_1Operator.html", null ],
      [ "larmor::OperatorBase< Derived, T >", "classlarmor_1_1OperatorBase.html", [
        [ "larmor::TwoWayOperator< Derived, T >", "classlarmor_1_1TwoWayOperator.html", [
          [ "larmor::OperatorOfParts< Derived, T, Base >", "classlarmor_1_1OperatorOfParts.html", null ]
        ] ]
      ] ]
    ] ],
    [ "larmor::LinearOperator< double >", "classlarmor_1_1LinearOperator.html", [
      [ "larmor::Operator< double >", "classlarmor_1_1Operator.html", null ]
    ] ],
    [ "larmor::LinearOperator< float >", "classlarmor_1_1LinearOperator.html", [
      [ "larmor::Operator< float >", "classlarmor_1_1Operator.html", null ]
    ] ],
    [ "larmor::LineFft< T >", "classlarmor_1_1LineFft.html", null ],
    [ "larmor::LocallyLowRankOptions", "structlarmor_1_1LocallyLowRankOptions.html", null ],
    [ "larmor::LoopBody", "classlarmor_1_1LoopBody.html", null ],
    [ "larmor::LowRankSparseOptions", "structlarmor_1_1LowRankSparseOptions.html", null ],
    [ "larmor::MemoryDecision", "structlarmor_1_1MemoryDecision.html", null ],
    [ "larmor::MemoryPlan", "classlarmor_1_1MemoryPlan.html", null ],
    [ "larmor::MemoryUse", "structlarmor_1_1MemoryUse.html", null ],
    [ "larmor::ModelInput", "structlarmor_1_1ModelInput.html", null ],
    [ "larmor::NoiseInput< T >", "structlarmor_1_1NoiseInput.html", null ],
    [ "larmor::NonlinearLeastSquares< T >", "classlarmor_1_1NonlinearLeastSquares.html", null ],
    [ "larmor::NormalOptions", "structlarmor_1_1NormalOptions.html", null ],
    [ "larmor::NormalTrial", "structlarmor_1_1NormalTrial.html", null ],
    [ "larmor::NufftOptions", "structlarmor_1_1NufftOptions.html", null ],
    [ "larmor::OutputOptions", "structlarmor_1_1OutputOptions.html", null ],
    [ "larmor::Phantom", "classlarmor_1_1Phantom.html", null ],
    [ "larmor::PhantomPart", "structlarmor_1_1PhantomPart.html", null ],
    [ "larmor::PipeMenonOptions", "structlarmor_1_1PipeMenonOptions.html", null ],
    [ "larmor::PlannedImage", "structlarmor_1_1PlannedImage.html", null ],
    [ "larmor::PlannedProblem", "structlarmor_1_1PlannedProblem.html", null ],
    [ "larmor::PlannedSeries", "structlarmor_1_1PlannedSeries.html", null ],
    [ "larmor::PreparedImage", "structlarmor_1_1PreparedImage.html", null ],
    [ "larmor::Problem< T >", "structlarmor_1_1Problem.html", null ],
    [ "larmor::ProblemList", "structlarmor_1_1ProblemList.html", null ],
    [ "larmor::ProblemSizes", "structlarmor_1_1ProblemSizes.html", null ],
    [ "larmor::ProblemSolution< T >", "classlarmor_1_1ProblemSolution.html", null ],
    [ "larmor::ProblemSolver< T >", "classlarmor_1_1ProblemSolver.html", null ],
    [ "larmor::ProximalMap< T >", "classlarmor_1_1ProximalMap.html", [
      [ "larmor::BlockNuclearNorm< T >", "classlarmor_1_1BlockNuclearNorm.html", null ],
      [ "larmor::WaveletNorm< T >", "classlarmor_1_1WaveletNorm.html", null ]
    ] ],
    [ "larmor::QualityMaps", "structlarmor_1_1QualityMaps.html", null ],
    [ "larmor::RadialOptions", "structlarmor_1_1RadialOptions.html", null ],
    [ "larmor::RankOptions", "structlarmor_1_1RankOptions.html", null ],
    [ "larmor::RankSegment", "classlarmor_1_1RankSegment.html", null ],
    [ "larmor::ReadingOptions", "structlarmor_1_1ReadingOptions.html", [
      [ "larmor::PrepareOptions", "structlarmor_1_1PrepareOptions.html", null ]
    ] ],
    [ "larmor::Readout", "structlarmor_1_1Readout.html", null ],
    [ "larmor::ReadoutHeader", "structlarmor_1_1ReadoutHeader.html", null ],
    [ "larmor::Reconstruction", "structlarmor_1_1Reconstruction.html", null ],
    [ "larmor::ReconstructionPreview", "structlarmor_1_1ReconstructionPreview.html", null ],
    [ "larmor::ReconstructionReport", "structlarmor_1_1ReconstructionReport.html", null ],
    [ "larmor::ReconstructOptions", "structlarmor_1_1ReconstructOptions.html", null ],
    [ "larmor::Regularizer< T >", "structlarmor_1_1Regularizer.html", null ],
    [ "larmor::Regularizer< double >", "structlarmor_1_1Regularizer.html", null ],
    [ "larmor::Regularizer< float >", "structlarmor_1_1Regularizer.html", null ],
    [ "larmor::RegularizerParameter", "structlarmor_1_1RegularizerParameter.html", null ],
    [ "larmor::RegularizerRow", "structlarmor_1_1RegularizerRow.html", null ],
    [ "larmor::RegularizerSetting< T >", "structlarmor_1_1RegularizerSetting.html", null ],
    [ "larmor::RegularizerSpec", "structlarmor_1_1RegularizerSpec.html", null ],
    [ "larmor::Reporter", "classlarmor_1_1Reporter.html", null ],
    [ "std::runtime_error", null, [
      [ "larmor::Error", "classlarmor_1_1Error.html", null ]
    ] ],
    [ "larmor::SavedState", "structlarmor_1_1SavedState.html", null ],
    [ "larmor::ScaledVector< T >", "structlarmor_1_1ScaledVector.html", null ],
    [ "larmor::Scan", "structlarmor_1_1Scan.html", null ],
    [ "larmor::ScanPlan", "structlarmor_1_1ScanPlan.html", null ],
    [ "larmor::Scratch", "classlarmor_1_1Scratch.html", null ],
    [ "larmor::SegmentError", "structlarmor_1_1SegmentError.html", null ],
    [ "larmor::SegmentOptions", "structlarmor_1_1SegmentOptions.html", null ],
    [ "larmor::Selection", "structlarmor_1_1Selection.html", null ],
    [ "larmor::SensitivityTerm", "structlarmor_1_1SensitivityTerm.html", null ],
    [ "larmor::SeriesChoice", "structlarmor_1_1SeriesChoice.html", null ],
    [ "larmor::SeriesOptions", "structlarmor_1_1SeriesOptions.html", null ],
    [ "larmor::SeriesProblem< T >", "structlarmor_1_1SeriesProblem.html", null ],
    [ "larmor::SeriesReport", "structlarmor_1_1SeriesReport.html", null ],
    [ "larmor::SeriesSummary", "structlarmor_1_1SeriesSummary.html", null ],
    [ "larmor::Shape", "classlarmor_1_1Shape.html", null ],
    [ "larmor::Share", "structlarmor_1_1Share.html", null ],
    [ "larmor::SharedArray< T >", "classlarmor_1_1SharedArray.html", null ],
    [ "larmor::SharedArray< C >", "classlarmor_1_1SharedArray.html", null ],
    [ "larmor::SharedArray< double >", "classlarmor_1_1SharedArray.html", null ],
    [ "larmor::SharedArray< std::complex< double > >", "classlarmor_1_1SharedArray.html", null ],
    [ "larmor::SharedArray< std::complex< T > >", "classlarmor_1_1SharedArray.html", null ],
    [ "larmor::SharedParts< T >", "structlarmor_1_1SharedParts.html", null ],
    [ "larmor::Simulation", "structlarmor_1_1Simulation.html", null ],
    [ "larmor::SimulationOptions", "structlarmor_1_1SimulationOptions.html", null ],
    [ "larmor::SolveOptions", "structlarmor_1_1SolveOptions.html", null ],
    [ "larmor::SolverHooks< T >", "structlarmor_1_1SolverHooks.html", null ],
    [ "larmor::SolverOptions< T >", "structlarmor_1_1SolverOptions.html", null ],
    [ "larmor::SolverResult< T >", "structlarmor_1_1SolverResult.html", null ],
    [ "larmor::SolverResult< double >", "structlarmor_1_1SolverResult.html", null ],
    [ "larmor::SolverResult< float >", "structlarmor_1_1SolverResult.html", null ],
    [ "larmor::SolverRow", "structlarmor_1_1SolverRow.html", null ],
    [ "larmor::SolverStep", "structlarmor_1_1SolverStep.html", null ],
    [ "larmor::SpiralOptions", "structlarmor_1_1SpiralOptions.html", null ],
    [ "larmor::StageClock", "classlarmor_1_1StageClock.html", null ],
    [ "larmor::StageSpan", "structlarmor_1_1StageSpan.html", null ],
    [ "larmor::SubspaceBasis", "structlarmor_1_1SubspaceBasis.html", null ],
    [ "larmor::ThreadPool", "classlarmor_1_1ThreadPool.html", null ],
    [ "larmor::TikhonovChoice", "structlarmor_1_1TikhonovChoice.html", null ],
    [ "larmor::TikhonovTrial", "structlarmor_1_1TikhonovTrial.html", null ],
    [ "larmor::TimeSegments", "structlarmor_1_1TimeSegments.html", null ],
    [ "larmor::Toeplitz< T >", "classlarmor_1_1Toeplitz.html", null ],
    [ "larmor::TotalGeneralisedVariationOptions", "structlarmor_1_1TotalGeneralisedVariationOptions.html", null ],
    [ "larmor::TotalVariationOptions", "structlarmor_1_1TotalVariationOptions.html", null ],
    [ "larmor::Trajectory", "structlarmor_1_1Trajectory.html", null ],
    [ "larmor::TrajectoryLayout", "structlarmor_1_1TrajectoryLayout.html", null ],
    [ "larmor::TransformOptions", "structlarmor_1_1TransformOptions.html", null ],
    [ "larmor::TuneOptions", "structlarmor_1_1TuneOptions.html", null ],
    [ "larmor::TuneResult", "structlarmor_1_1TuneResult.html", null ],
    [ "larmor::TuneTrial", "structlarmor_1_1TuneTrial.html", null ],
    [ "larmor::UnitDecision", "structlarmor_1_1UnitDecision.html", null ],
    [ "larmor::UnitEvidence", "structlarmor_1_1UnitEvidence.html", null ],
    [ "larmor::Communicator::Values", "structlarmor_1_1Communicator_1_1Values.html", null ],
    [ "larmor::View< T >", "classlarmor_1_1View.html", null ],
    [ "larmor::View< const C >", "classlarmor_1_1View.html", null ],
    [ "larmor::View< const double >", "classlarmor_1_1View.html", null ],
    [ "larmor::View< const float >", "classlarmor_1_1View.html", null ],
    [ "larmor::View< const std::complex< double > >", "classlarmor_1_1View.html", null ],
    [ "larmor::View< const std::complex< float > >", "classlarmor_1_1View.html", null ],
    [ "larmor::View< const std::complex< T > >", "classlarmor_1_1View.html", null ],
    [ "larmor::View< const T >", "classlarmor_1_1View.html", null ],
    [ "larmor::View< double >", "classlarmor_1_1View.html", null ],
    [ "larmor::View< std::complex< double > >", "classlarmor_1_1View.html", null ],
    [ "larmor::WalshOptions", "structlarmor_1_1WalshOptions.html", null ],
    [ "larmor::WaveletL1Options", "structlarmor_1_1WaveletL1Options.html", null ],
    [ "larmor::WaveletOptions", "structlarmor_1_1WaveletOptions.html", null ],
    [ "larmor::Wisdom", "classlarmor_1_1Wisdom.html", null ],
    [ "larmor::WisdomEntry", "structlarmor_1_1WisdomEntry.html", null ],
    [ "larmor::WrittenFiles", "structlarmor_1_1WrittenFiles.html", null ]
];