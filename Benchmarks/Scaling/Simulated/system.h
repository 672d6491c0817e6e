// Included before every file of the program that is simulated: what it asks the processor, glibc and the kernel for becomes the simulated
// machine's (system.c). Headers come first, so that only uses are renamed.

#ifndef SCALING_SYSTEM_H
#define SCALING_SYSTEM_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

void system_pause(void);
int system_yield(void);
int system_mutex_lock(pthread_mutex_t *mutex);
int system_mutex_unlock(pthread_mutex_t *mutex);
int system_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *argument);
long system_call(long number, ...);

#define __builtin_ia32_pause system_pause
#define sched_yield system_yield
#define pthread_mutex_lock system_mutex_lock
#define pthread_mutex_unlock system_mutex_unlock
#define pthread_create system_create
#define syscall system_call

#endif
