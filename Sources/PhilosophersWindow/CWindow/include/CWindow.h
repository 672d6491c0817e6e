// A window with a drawing, two sliders, a menu of matchers and a button. All of it belongs to the thread that calls
// window_run, but for window_post.

#ifndef CWINDOW_H
#define CWINDOW_H

#include <cairo.h>
#include <stdbool.h>

/// The calls that the window makes. `context` is passed to all of them.
typedef struct {
  void *_Nullable context;
  void (*_Nonnull draw)(void *_Nullable context, cairo_t *_Nonnull cairo, int width, int height);
  void (*_Nonnull restart)(void *_Nullable context);
  void (*_Nonnull speed)(void *_Nullable context, double speed);
} window_calls;

/// Opens the window and runs the loop until the window is closed. False: there is no display.
bool window_run(const window_calls *_Nonnull calls, const char *_Nonnull const *_Nonnull matchers, int seats);
/// The choices of the user.
int window_seats(void);
int window_matcher(void);
/// Draws again, soon.
void window_redraw(void);
/// Shows or hides that something is awaited; as long the button does nothing.
void window_set_busy(bool busy);
/// Sets the line below the drawing.
void window_set_text(const char *_Nonnull text);

/// Calls `act` in the loop, in the order in which it was posted. On any thread.
void window_post(void (*_Nonnull act)(void *_Nonnull context), void *_Nonnull context);
/// Whether the calling thread is that of the loop, which runs.
bool window_is_current(void);

#endif
