// The part of MATLAB's header that larmor_gateway_call.cpp needs, declared by ourselves, to check that it
// compiles without MATLAB.
#pragma once

#include <cstddef>

using mwSize = std::size_t;
struct mxArray;
enum mxClassID { mxDOUBLE_CLASS = 6, mxSINGLE_CLASS = 7 };
enum mxComplexity { mxREAL, mxCOMPLEX };
struct mxComplexSingle {
  float real, imag;
};
struct mxComplexDouble {
  double real, imag;
};

extern "C" {
bool mxIsChar(const mxArray*);
bool mxIsComplex(const mxArray*);
bool mxIsSingle(const mxArray*);
bool mxIsDouble(const mxArray*);
char* mxArrayToString(const mxArray*);
void mxFree(void*);
const mwSize* mxGetDimensions(const mxArray*);
mwSize mxGetNumberOfDimensions(const mxArray*);
mxComplexSingle* mxGetComplexSingles(const mxArray*);
mxComplexDouble* mxGetComplexDoubles(const mxArray*);
double* mxGetDoubles(const mxArray*);
void* mxGetData(const mxArray*);
mxArray* mxCreateUninitNumericArray(mwSize, mwSize*, mxClassID, mxComplexity);
mxArray* mxCreateString(const char*);
bool mexIsLocked();
void mexLock();
int mexAtExit(void (*)());
[[noreturn]] void mexErrMsgIdAndTxt(const char*, const char*, ...);
void mexFunction(int, mxArray*[], int, const mxArray*[]);
}
