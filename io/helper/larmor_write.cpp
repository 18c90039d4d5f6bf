#include <larmor/io/helper/assemble.hpp>

#include <unistd.h>

int main(int count, char** words) {
  // Handlers of exit are left out: what could not be written is of no use.
  _exit(larmor::isolated::assemble(count, words));
}
