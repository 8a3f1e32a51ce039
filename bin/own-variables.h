/* Our own variables. Written by scripts/build.mjs from src/core/variables/own-variables.ts: change them there. */
#pragma once
static const char *const own_prefixes[] = {"APE_", "APES_"};
/* Our variables that a command keeps, because they name the installation. Each has its `=`. */
static const char *const naming_variables[] = {"APES_HOME="};
/* The variables that choose the installation. APES_HOME is first: if it is set, the others do not count. */
static const char *const installation_variables[] = {"APES_HOME", "HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"};
