/*
 @licstart  The following is the entire license notice for the JavaScript code in this file.

 The MIT License (MIT)

 Copyright (C) 1997-2020 by Dimitri van Heesch

 Permission is hereby granted, free of charge, to any person obtaining a copy of this software
 and associated documentation files (the "Software"), to deal in the Software without restriction,
 including without limitation the rights to use, copy, modify, merge, publish, distribute,
 sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
 furnished to do so, subject to the following conditions:

 The above copyright notice and this permission notice shall be included in all copies or
 substantial portions of the Software.

 THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING
 BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
 NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM,
 DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
 OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.

 @licend  The above is the entire license notice for the JavaScript code in this file
*/
var NAVTREE =
[
  [ "Larmor", "index.html", [
    [ "Larmor's documentation", "index.html", null ],
    [ "Larmor", "md_README.html", [
      [ "Try it", "md_README.html#readme-try-it", null ],
      [ "Reconstruct a scan", "md_README.html#readme-reconstruct-a-scan", null ],
      [ "Where to read on", "md_README.html#readme-where-to-read-on", null ],
      [ "Compose operators in C++", "md_README.html#readme-compose-operators-in-c", null ],
      [ "Python", "md_README.html#readme-python", null ],
      [ "How it is built", "md_README.html#readme-how-it-is-built", [
        [ "On a GPU", "md_README.html#readme-on-a-gpu", null ]
      ] ],
      [ "With CUDA", "md_README.html#readme-with-cuda", null ],
      [ "Dependencies", "md_README.html#readme-dependencies", null ],
      [ "Licence", "md_README.html#readme-licence", null ]
    ] ],
    [ "Conventions", "md_core_conventions.html", null ],
    [ "History of measurements", "md_bench_results_history.html", [
      [ "Set-up of a NUFFT on a CPU", "md_bench_results_history.html#history-set-up-of-a-nufft-on-a-cpu", null ],
      [ "GPU: spreading and passes", "md_bench_results_history.html#history-gpu-spreading-and-passes", null ],
      [ "GPU: one dimension", "md_bench_results_history.html#history-gpu-one-dimension", null ],
      [ "GPU: sparse transforms of long rows", "md_bench_results_history.html#history-gpu-sparse-transforms-of-long-rows", null ]
    ] ],
    [ "Rooms and arrows", "md_docs_architecture.html", [
      [ "core", "md_docs_architecture.html#architecture-core", null ],
      [ "operators", "md_docs_architecture.html#architecture-operators", null ],
      [ "solvers", "md_docs_architecture.html#architecture-solvers", null ],
      [ "mri", "md_docs_architecture.html#architecture-mri", null ],
      [ "io", "md_docs_architecture.html#architecture-io", null ],
      [ "apps", "md_docs_architecture.html#architecture-apps", null ],
      [ "capi", "md_docs_architecture.html#architecture-capi", null ],
      [ "python", "md_docs_architecture.html#architecture-python", null ]
    ] ],
    [ "Building and checking", "md_docs_building.html", [
      [ "Presets", "md_docs_building.html#building-presets", null ],
      [ "Compiler caches", "md_docs_building.html#building-compiler-caches", null ],
      [ "Checks", "md_docs_building.html#building-checks", null ],
      [ "Build times", "md_docs_building.html#building-build-times", null ]
    ] ],
    [ "C", "md_docs_c.html", [
      [ "In place of FINUFFT", "md_docs_c.html#c-in-place-of-finufft", null ]
    ] ],
    [ "Several GPUs, several processes", "md_docs_cluster.html", [
      [ "What is shared out", "md_docs_cluster.html#cluster-what-is-shared-out", null ],
      [ "How arrays travel", "md_docs_cluster.html#cluster-how-arrays-travel", null ],
      [ "What happens when one fails", "md_docs_cluster.html#cluster-what-happens-when-one-fails", null ],
      [ "Under a launcher", "md_docs_cluster.html#cluster-under-a-launcher", null ],
      [ "What was measured", "md_docs_cluster.html#cluster-what-was-measured", [
        [ "Whole commands", "md_docs_cluster.html#cluster-whole-commands", null ]
      ] ]
    ] ],
    [ "MATLAB and Octave", "md_docs_matlab.html", null ],
    [ "The NUFFT", "md_docs_nufft.html", [
      [ "What is computed", "md_docs_nufft.html#nufft-what-is-computed", null ],
      [ "Tolerance", "md_docs_nufft.html#nufft-tolerance", null ],
      [ "σ, width and method", "md_docs_nufft.html#nufft-σ-width-and-method", null ],
      [ "Kernels", "md_docs_nufft.html#nufft-kernels", null ],
      [ "On a CPU", "md_docs_nufft.html#nufft-on-a-cpu", null ],
      [ "On a GPU", "md_docs_nufft.html#nufft-on-a-gpu", null ],
      [ "Beside FINUFFT", "md_docs_nufft.html#nufft-beside-finufft", null ]
    ] ],
    [ "Operators", "md_docs_operators.html", [
      [ "Put operators together", "md_docs_operators.html#operators-put-operators-together", null ],
      [ "Write your own operator", "md_docs_operators.html#operators-write-your-own-operator", null ]
    ] ],
    [ "Papers, and the same problems here", "md_docs_papers.html", [
      [ "cuFINUFFT", "md_docs_papers.html#papers-cufinufft", null ],
      [ "Type 3 on GPUs", "md_docs_papers.html#papers-type-3-on-gpus", null ],
      [ "gNUFFTW", "md_docs_papers.html#papers-gnufftw", null ],
      [ "cuSpFFT", "md_docs_papers.html#papers-cuspfft", null ],
      [ "Gaussian gridding in one dimension", "md_docs_papers.html#papers-gaussian-gridding-in-one-dimension", null ]
    ] ],
    [ "Performance", "md_docs_performance.html", [
      [ "A whole reconstruction", "md_docs_performance.html#performance-a-whole-reconstruction", null ],
      [ "The NUFFT on a CPU", "md_docs_performance.html#performance-the-nufft-on-a-cpu", [
        [ "Instruction counts", "md_docs_performance.html#performance-instruction-counts", null ]
      ] ],
      [ "The NUFFT on a GPU", "md_docs_performance.html#performance-the-nufft-on-a-gpu", [
        [ "How far from the limit", "md_docs_performance.html#performance-how-far-from-the-limit", null ]
      ] ],
      [ "Type 3 and one dimension on a GPU", "md_docs_performance.html#performance-type-3-and-one-dimension-on-a-gpu", null ],
      [ "Sparse binary Fourier transforms on a GPU", "md_docs_performance.html#performance-sparse-binary-fourier-transforms-on-a-gpu", null ],
      [ "Memory", "md_docs_performance.html#performance-memory", null ]
    ] ],
    [ "Physics beyond the Fourier transform", "md_docs_physics.html", [
      [ "BasisNufft and the matrix Toeplitz operator", "md_docs_physics.html#physics-basisnufft-and-the-matrix-toeplitz-operator", null ],
      [ "Field maps", "md_docs_physics.html#physics-field-maps", null ],
      [ "Subspaces", "md_docs_physics.html#physics-subspaces", null ],
      [ "Series", "md_docs_physics.html#physics-series", null ],
      [ "On the command line", "md_docs_physics.html#physics-on-the-command-line", null ],
      [ "Coil maps", "md_docs_physics.html#physics-coil-maps", null ],
      [ "Noise", "md_docs_physics.html#physics-noise", null ],
      [ "Units of trajectories", "md_docs_physics.html#physics-units-of-trajectories", null ],
      [ "Density weights", "md_docs_physics.html#physics-density-weights", null ],
      [ "Stacks of slices", "md_docs_physics.html#physics-stacks-of-slices", null ]
    ] ],
    [ "Python", "md_docs_python.html", [
      [ "Install", "md_docs_python.html#python-install", null ],
      [ "Which column belongs to which axis", "md_docs_python.html#python-which-column-belongs-to-which-axis", null ],
      [ "Operators", "md_docs_python.html#python-operators", null ],
      [ "Solvers", "md_docs_python.html#python-solvers", null ],
      [ "Whole reconstructions", "md_docs_python.html#python-whole-reconstructions", null ],
      [ "Errors", "md_docs_python.html#python-errors", null ],
      [ "PyTorch", "md_docs_python.html#python-pytorch", null ],
      [ "mri-nufft", "md_docs_python.html#python-mri-nufft", null ],
      [ "On a GPU", "md_docs_python.html#python-on-a-gpu", null ],
      [ "FINUFFT's functions", "md_docs_python.html#python-finuffts-functions", null ]
    ] ],
    [ "Image quality, measured", "md_docs_quality.html", [
      [ "What one command gives", "md_docs_quality.html#quality-what-one-command-gives", null ],
      [ "Real anatomy: wavelets beside BART", "md_docs_quality.html#quality-real-anatomy-wavelets-beside-bart", null ],
      [ "Closed forms", "md_docs_quality.html#quality-closed-forms", null ],
      [ "Real raw data, own coil maps", "md_docs_quality.html#quality-real-raw-data-own-coil-maps", null ]
    ] ],
    [ "Recipes", "md_docs_recipes.html", [
      [ "1. A quick look", "md_docs_recipes.html#recipes-1-a-quick-look", null ],
      [ "2. Iterative SENSE", "md_docs_recipes.html#recipes-2-iterative-sense", null ],
      [ "3. Undersampled: wavelets, with a weight that finds itself", "md_docs_recipes.html#recipes-3-undersampled-wavelets-with-a-weight-that-finds-itself", null ],
      [ "4. Coil maps once, used again", "md_docs_recipes.html#recipes-4-coil-maps-once-used-again", null ],
      [ "5. Three dimensions: kooshball", "md_docs_recipes.html#recipes-5-three-dimensions-kooshball", null ],
      [ "6. How noisy is it?", "md_docs_recipes.html#recipes-6-how-noisy-is-it", null ],
      [ "7. What the trajectory does to a point", "md_docs_recipes.html#recipes-7-what-the-trajectory-does-to-a-point", null ],
      [ "8. Spiral, compressed to six coils, ISMRMRD images", "md_docs_recipes.html#recipes-8-spiral-compressed-to-six-coils-ismrmrd-images", null ],
      [ "9. A series of frames", "md_docs_recipes.html#recipes-9-a-series-of-frames", null ],
      [ "10. Gradients that are late", "md_docs_recipes.html#recipes-10-gradients-that-are-late", null ]
    ] ],
    [ "Write your own reconstruction", "md_docs_reconstruction.html", [
      [ "From file to image in twelve files", "md_docs_reconstruction.html#reconstruction-from-file-to-image-in-twelve-files", null ],
      [ "Problems", "md_docs_reconstruction.html#reconstruction-problems", null ],
      [ "Stop and go on", "md_docs_reconstruction.html#reconstruction-stop-and-go-on", null ]
    ] ],
    [ "Regularisation terms", "md_docs_regularizers.html", [
      [ "λ auto", "md_docs_regularizers.html#regularizers-λ-auto", null ]
    ] ],
    [ "Reliability", "md_docs_reliability.html", [
      [ "What is promised about outputs", "md_docs_reliability.html#reliability-what-is-promised-about-outputs", null ],
      [ "Signals", "md_docs_reliability.html#reliability-signals", null ],
      [ "Memory", "md_docs_reliability.html#reliability-memory", null ],
      [ "How this is tested", "md_docs_reliability.html#reliability-how-this-is-tested", null ],
      [ "Files of chance", "md_docs_reliability.html#reliability-files-of-chance", null ],
      [ "Threads", "md_docs_reliability.html#reliability-threads", null ],
      [ "Which test covers what", "md_docs_reliability.html#reliability-which-test-covers-what", null ],
      [ "What reading in a process of its own costs", "md_docs_reliability.html#reliability-what-reading-in-a-process-of-its-own-costs", null ]
    ] ],
    [ "Solvers", "md_docs_solvers.html", [
      [ "Which one when", "md_docs_solvers.html#solvers-which-one-when", null ],
      [ "What the command does when it is not told", "md_docs_solvers.html#solvers-what-the-command-does-when-it-is-not-told", null ],
      [ "λ", "md_docs_solvers.html#solvers-λ", null ],
      [ "Preconditioners", "md_docs_solvers.html#solvers-preconditioners", null ],
      [ "When a solver stops", "md_docs_solvers.html#solvers-when-a-solver-stops", null ],
      [ "Stopping and going on", "md_docs_solvers.html#solvers-stopping-and-going-on", null ],
      [ "How they compare", "md_docs_solvers.html#solvers-how-they-compare", null ]
    ] ],
    [ "Tuning the NUFFT", "md_docs_tuning.html", [
      [ "What is tried", "md_docs_tuning.html#tuning-what-is-tried", null ],
      [ "The landscape", "md_docs_tuning.html#tuning-the-landscape", null ],
      [ "Against a fixed oversampling, in three dimensions", "md_docs_tuning.html#tuning-against-a-fixed-oversampling-in-three-dimensions", null ],
      [ "Wisdom", "md_docs_tuning.html#tuning-wisdom", null ],
      [ "Memory of the matrix", "md_docs_tuning.html#tuning-memory-of-the-matrix", null ]
    ] ],
    [ "Concepts", "concepts.html", "concepts" ],
    [ "Classes", "annotated.html", [
      [ "Class List", "annotated.html", "annotated_dup" ],
      [ "Class Index", "classes.html", null ],
      [ "Class Hierarchy", "hierarchy.html", "hierarchy" ],
      [ "Class Members", "functions.html", [
        [ "All", "functions.html", "functions_dup" ],
        [ "Functions", "functions_func.html", "functions_func" ],
        [ "Variables", "functions_vars.html", "functions_vars" ],
        [ "Typedefs", "functions_type.html", null ],
        [ "Enumerations", "functions_enum.html", null ],
        [ "Related Functions", "functions_rela.html", null ]
      ] ]
    ] ],
    [ "Files", "files.html", [
      [ "File List", "files.html", "files_dup" ]
    ] ]
  ] ]
];

var NAVTREEINDEX =
[
"admm_8hpp_source.html",
"classlarmor_1_1Nufft.html#a9bea73669dafc86b7de93c197ffb50fc",
"dir_c2a1d2a1365c042aa2d90c2ffb0f1824.html",
"md_docs_tuning.html#tuning-wisdom",
"structlarmor_1_1IndexRange.html#a3c3f2d18ea5106397966096079ba140a",
"structlarmor_1_1ReadoutHeader.html#a81f8c765020910ffeda08bf69f7c4b72",
"structlarmor_1_1SolverResult.html#ad4f29daa769002b2a618649ef2fdf75e"
];

var SYNCONMSG = 'click to disable panel synchronisation';
var SYNCOFFMSG = 'click to enable panel synchronisation';