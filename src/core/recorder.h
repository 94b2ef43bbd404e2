/* core/recorder.h - a recorder that is preloaded into pario (`pario record`).
 */
#ifndef PARIO_CORE_RECORDER_H
#define PARIO_CORE_RECORDER_H

/* Local. It takes no notice of what this thread does until it is told
 * otherwise; without one nothing happens. */
void pario_recorder_pause(int pause);

#endif
