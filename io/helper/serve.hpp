#pragma once

// No part of the public interface.

namespace larmor::isolated {

/// The main function of larmor-read: reads the file of descriptor 3, as the words say, and answers on the
/// socket of descriptor 4. The sandbox closes before the first byte of the file is looked at. Returns the
/// exit status.
int serve(int word_count, char** words);

}  // namespace larmor::isolated
