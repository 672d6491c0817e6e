// A window with a drawing, two sliders, a menu of matchers and a button. Only the thread that calls window_run may use
// it, except for window_post.

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

/// Opens the window and runs the loop until the window is closed. Returns false if there is no display.
bool window_run(const window_calls *_Nonnull calls, const char *_Nonnull const *_Nonnull matchers, int seats);
/// The choices of the user.
int window_seats(void);
int window_matcher(void);
/// Draws the window again, soon.
void window_redraw(void);
/// Shows or hides that the program waits. While it is shown, the button does nothing.
void window_set_busy(bool busy);
/// Sets the line below the drawing.
void window_set_text(const char *_Nonnull text);

/// Calls `act` in the loop, in the order of the posts. Any thread may call it.
void window_post(void (*_Nonnull act)(void *_Nonnull context), void *_Nonnull context);
/// Whether the calling thread runs the loop.
bool window_is_current(void);

#endif
