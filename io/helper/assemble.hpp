#pragma once

// No part of the public interface.

namespace larmor::isolated {

/// The main function of larmor-write: puts together the file that the words say from what the socket brings,
/// and writes it to descriptor 3. What went wrong is said on the socket. Returns the exit status.
int assemble(int word_count, char** words);

}  // namespace larmor::isolated
