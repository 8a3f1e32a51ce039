/* Functions that stand in for those of bash, behind bin/confine-builtin.c. A target brings its own bind_variable. */
#pragma once

static struct builtin others[2] = {{.name = "exec"}, {.name = "enable"}};

struct builtin *builtin_address_internal(char *name, int is_any) {
  (void)is_any;
  return strcmp(name, "exec") == 0 ? &others[0] : strcmp(name, "enable") == 0 ? &others[1] : NULL;
}
char *get_string_value(const char *name) {
  (void)name;
  return "a trap";
}
struct variable *find_variable(const char *name) {
  static struct variable found;
  (void)name;
  return &found;
}
