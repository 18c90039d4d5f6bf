#include <larmor/io/helper/assemble.hpp>

#include <unistd.h>

int main(int count, char** words) {
  // Exit handlers of libraries are skipped: they would try to write what could not be written.
  _exit(larmor::isolated::assemble(count, words));
}
