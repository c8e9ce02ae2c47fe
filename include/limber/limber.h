// limber/limber.h: everything.
#ifndef LIMBER_H
#define LIMBER_H

#include <limber/asset.h>
#include <limber/bake.h>
#include <limber/base.h>
#include <limber/bvh.h>
#include <limber/cache.h>
#include <limber/gltf.h>
#include <limber/pack.h>
#include <limber/pipeline.h>
#include <limber/stages/deform.h>
#include <limber/stages/exaggerate.h>
#include <limber/stages/expression.h>
#include <limber/stages/layer.h>
#include <limber/stages/motion.h>
#include <limber/stages/pose.h>
#include <limber/stages/skin.h>
#include <limber/stages/smear.h>
#include <limber/stages/smear_live.h>
#include <limber/stages/subdivide.h>
#include <limber/style.h>

#endif
