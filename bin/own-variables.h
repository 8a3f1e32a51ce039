/* Our own variables. Written by scripts/build.mjs from src/core/variables/own-variables.ts: change them there. */
#pragma once
static const char *const own_prefixes[] = {"APE_", "APES_"};
/* As in an environment: with the sign after the name. */
static const char *const naming_variables[] = {"APES_HOME="};
/* APES_HOME first: if it is set, only it says which installation is meant. */
static const char *const installation_variables[] = {"APES_HOME", "HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"};
