#include <larmor/io/helper/serve.hpp>

#include <unistd.h>

int main(int count, char** words) {
  // Exit handlers are skipped: those of libraries would clean up after damaged files, and fail.
  _exit(larmor::isolated::serve(count, words));
}
