#include "CWindow.h"

#include <gtk/gtk.h>

static window_calls calls;
static GMainLoop *loop;
static GtkWidget *drawing, *seats, *speed, *matcher, *button, *spinner, *label;

static void draw(GtkDrawingArea *area, cairo_t *cairo, int width, int height, gpointer context) {
  (void)area, (void)context;
  calls.draw(calls.context, cairo, width, height);
}

static void restart(GtkButton *from, gpointer context) {
  (void)from, (void)context;
  calls.restart(calls.context);
}

static void change_speed(GtkRange *range, gpointer context) {
  (void)context;
  calls.speed(calls.context, gtk_range_get_value(range));
}

static gboolean close_window(GtkWindow *window, gpointer context) {
  (void)window, (void)context;
  g_main_loop_quit(loop);
  return TRUE;  // the window ends with the process
}

static GtkWidget *slider(GtkWidget *box, const char *title, double least, double most, double step, double value) {
  gtk_box_append(GTK_BOX(box), gtk_label_new(title));
  GtkWidget *scale = gtk_scale_new_with_range(GTK_ORIENTATION_HORIZONTAL, least, most, step);
  gtk_range_set_value(GTK_RANGE(scale), value);
  gtk_scale_set_draw_value(GTK_SCALE(scale), TRUE);
  gtk_widget_set_size_request(scale, 130, -1);
  gtk_box_append(GTK_BOX(box), scale);
  return scale;
}

bool window_run(const window_calls *given, const char *const *matchers, int count) {
  if (!gtk_init_check()) return false;
  calls = *given;
  GtkWidget *window = gtk_window_new();
  gtk_window_set_title(GTK_WINDOW(window), "Dining philosophers");
  gtk_window_set_default_size(GTK_WINDOW(window), 720, 720);
  GtkWidget *column = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8);
  GtkWidget *row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
  gtk_widget_set_margin_start(row, 8);
  gtk_widget_set_margin_top(row, 8);
  seats = slider(row, "seats", 2, 12, 1, count);
  speed = slider(row, "speed", 0.2, 10, 0.1, 2);
  gtk_scale_set_digits(GTK_SCALE(speed), 1);
  matcher = gtk_drop_down_new_from_strings(matchers);
  gtk_box_append(GTK_BOX(row), matcher);
  button = gtk_button_new_with_mnemonic("_Restart");
  gtk_box_append(GTK_BOX(row), button);
  spinner = gtk_spinner_new();
  gtk_box_append(GTK_BOX(row), spinner);
  drawing = gtk_drawing_area_new();
  gtk_widget_set_hexpand(drawing, TRUE);
  gtk_widget_set_vexpand(drawing, TRUE);
  gtk_drawing_area_set_draw_func(GTK_DRAWING_AREA(drawing), draw, NULL, NULL);
  label = gtk_label_new("");
  gtk_widget_set_margin_bottom(label, 8);
  gtk_box_append(GTK_BOX(column), row);
  gtk_box_append(GTK_BOX(column), drawing);
  gtk_box_append(GTK_BOX(column), label);
  gtk_window_set_child(GTK_WINDOW(window), column);
  g_signal_connect(button, "clicked", G_CALLBACK(restart), NULL);
  g_signal_connect(speed, "value-changed", G_CALLBACK(change_speed), NULL);
  g_signal_connect(window, "close-request", G_CALLBACK(close_window), NULL);
  gtk_window_present(GTK_WINDOW(window));
  loop = g_main_loop_new(NULL, FALSE);
  g_main_loop_run(loop);
  return true;
}

int window_seats(void) { return (int)gtk_range_get_value(GTK_RANGE(seats)); }
int window_matcher(void) { return (int)gtk_drop_down_get_selected(GTK_DROP_DOWN(matcher)); }
void window_redraw(void) { gtk_widget_queue_draw(drawing); }
void window_set_text(const char *text) { gtk_label_set_text(GTK_LABEL(label), text); }

void window_set_busy(bool busy) {
  gtk_widget_set_sensitive(button, !busy);
  if (busy) {
    gtk_spinner_start(GTK_SPINNER(spinner));
  } else {
    gtk_spinner_stop(GTK_SPINNER(spinner));
  }
}

struct posted {
  void (*act)(void *context);
  void *context;
};

static gboolean run_posted(gpointer data) {
  struct posted *posted = data;
  posted->act(posted->context);
  return G_SOURCE_REMOVE;
}

void window_post(void (*act)(void *context), void *context) {
  struct posted *posted = g_new(struct posted, 1);
  *posted = (struct posted){.act = act, .context = context};
  // All posts have the same priority, so they run in order. A drawing has a lower one, so it waits for all changes.
  g_idle_add_full(G_PRIORITY_DEFAULT, run_posted, posted, g_free);
}

bool window_is_current(void) { return g_main_context_is_owner(NULL); }
