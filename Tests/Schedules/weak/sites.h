// Included before a core whose sites announce their numbers (sites.py number). Every ordered access
// tells the runtime its number, so that one program can remove any one guarantee of any one site (lacking.c).

#ifndef SCHEDULES_SITES_H
#define SCHEDULES_SITES_H

void weak_site(unsigned number);

#define CRUCIBLE_ORDER_AT(n, order) (weak_site(n), order)
#define load_acquire_at(n, p) (weak_site(n), load_acquire(p))
#define load_seq_cst_at(n, p) (weak_site(n), load_seq_cst(p))
#define store_release_at(n, p, v) (weak_site(n), store_release(p, v))
#define store_seq_cst_at(n, p, v) (weak_site(n), store_seq_cst(p, v))
#define exchange_acquire_at(n, p, v) (weak_site(n), exchange_acquire(p, v))
#define exchange_release_at(n, p, v) (weak_site(n), exchange_release(p, v))
#define exchange_acq_rel_at(n, p, v) (weak_site(n), exchange_acq_rel(p, v))
#define exchange_seq_cst_at(n, p, v) (weak_site(n), exchange_seq_cst(p, v))
#define fetch_add_acq_rel_at(n, p, v) (weak_site(n), fetch_add_acq_rel(p, v))
#define fetch_add_seq_cst_at(n, p, v) (weak_site(n), fetch_add_seq_cst(p, v))
#define fetch_sub_acq_rel_at(n, p, v) (weak_site(n), fetch_sub_acq_rel(p, v))
#define fetch_sub_seq_cst_at(n, p, v) (weak_site(n), fetch_sub_seq_cst(p, v))
#define fetch_or_seq_cst_at(n, p, v) (weak_site(n), fetch_or_seq_cst(p, v))
#define fetch_and_seq_cst_at(n, p, v) (weak_site(n), fetch_and_seq_cst(p, v))
#define cas_acquire_at(n, p, e, d) (weak_site(n), cas_acquire(p, e, d))
#define cas_release_at(n, p, e, d) (weak_site(n), cas_release(p, e, d))
#define cas_acq_rel_at(n, p, e, d) (weak_site(n), cas_acq_rel(p, e, d))
#define cas_seq_cst_at(n, p, e, d) (weak_site(n), cas_seq_cst(p, e, d))

#endif
