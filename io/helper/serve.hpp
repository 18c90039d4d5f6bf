#pragma once

// Not part of the public interface.

namespace larmor::isolated {

/// The main function of larmor-read: reads the file at descriptor 3 as the arguments say, and answers on the
/// socket at descriptor 4. The sandbox is closed before the first byte of the file is read. Returns the exit
/// status.
int serve(int word_count, char** words);

}  // namespace larmor::isolated
