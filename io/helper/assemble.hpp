#pragma once

// Not part of the public interface.

namespace larmor::isolated {

/// The main function of larmor-write: assembles the file described by the arguments from the data on the
/// socket, and writes it to descriptor 3. Errors are reported on the socket. Returns the exit status.
int assemble(int word_count, char** words);

}  // namespace larmor::isolated
