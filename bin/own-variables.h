/* Our own variables. Written by scripts/build.mjs from src/core/variables/own-variables.ts: change them there. */
#pragma once
static const char *const own_prefixes[] = {"APE_", "APES_"};
/* With the sign behind the name, as they stand in an environment. */
static const char *const naming_variables[] = {"APES_HOME="};
/* APES_HOME first: where it is set, it says alone which installation is meant. */
static const char *const installation_variables[] = {"APES_HOME", "HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"};
