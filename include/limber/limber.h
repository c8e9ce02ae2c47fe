// limber/limber.h: everything.
#ifndef LIMBER_H
#define LIMBER_H

#include <limber/asset.h>
#include <limber/bake.h>
#include <limber/base.h>
#include <limber/bvh.h>
#include <limber/cache.h>
#include <limber/deform.h>
#include <limber/exaggerate.h>
#include <limber/expression.h>
#include <limber/gltf.h>
#include <limber/layer.h>
#include <limber/motion.h>
#include <limber/pack.h>
#include <limber/pipeline.h>
#include <limber/pose.h>
#include <limber/skin.h>
#include <limber/smear.h>
#include <limber/smear_live.h>
#include <limber/smear_subdivide.h>
#include <limber/style.h>

#endif
