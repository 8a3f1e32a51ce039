/* Fuzzes the profiles that bash's loadable builtin arms and disarms. */
#include "target.h"
#include "../../../bin/confine-builtin.c"
#include "bash.h"

void *bind_variable(const char *name, char *value, int flags) {
  (void)flags;
  return strlen(name) + strlen(value) > 0 ? value : NULL;
}

static int call(char *verb, char *one, char *two, char *three) {
  WORD_DESC words[4] = {{verb, 0}, {one, 0}, {two, 0}, {three, 0}};
  WORD_LIST list[4];
  size_t count = !one ? 1 : !two ? 2 : 4;
  for (size_t i = 0; i < count; i++) list[i] = (WORD_LIST){i + 1 < count ? &list[i + 1] : NULL, &words[i]};
  return confine_builtin(list);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  char descriptor[16], size[24];
  if (!held.shell) {
    if (!freopen("/dev/null", "w", stderr) || !__ape_confine_builtin_load("")) abort();
  }
  int fd = file_with(bytes, length);
  snprintf(descriptor, sizeof descriptor, "%d", fd);
  snprintf(size, sizeof size, "%zu", length);
  int status = call("arm", descriptor, size, "token");
  if (status == 0 && (length < 3 || bytes[length - 1] != 0)) abort(); /* a profile that is cut off is not accepted */
  call("off", "1", NULL, NULL);
  if (held.is_armed || held.profile) abort();
  close(fd);
  return 0;
}
