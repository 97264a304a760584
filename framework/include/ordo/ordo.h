/**
 * @file
 * All that a caller needs. Authors of operators include `<ordo/operator/operator.h>`, authors of schedulers
 * `<ordo/scheduler/scheduler.h>`.
 */
#ifndef ORDO_ORDO_H
#define ORDO_ORDO_H

#include <ordo/apps.h>
#include <ordo/arrays.h>
#include <ordo/compare.h>
#include <ordo/error.h>
#include <ordo/flows.h>
#include <ordo/graph.h>
#include <ordo/memory.h>
#include <ordo/partition.h>
#include <ordo/paths.h>
#include <ordo/points_to.h>
#include <ordo/ranks.h>
#include <ordo/run.h>
#include <ordo/sat.h>
#include <ordo/session.h>
#include <ordo/trace.h>
#include <ordo/types.h>
#include <ordo/version.h>
#include <ordo/watch.h>

#endif
