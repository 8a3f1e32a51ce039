/* Our own variables. Written by scripts/build.mjs from src/core/variables/own-variables.ts: change them there. */
static const char *const own_prefixes[] = {"APE_", "APES_"};
/* With the sign behind the name, as they stand in an environment. */
static const char *const naming_variables[] = {"APES_HOME="};
