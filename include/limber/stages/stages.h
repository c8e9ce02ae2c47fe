// limber/stages/stages.h: every stage by itself, for programs that need more than limber/limber.h.
//
//     expression   numbers that are formulas
//     pose         where every joint is at one moment
//     layer        automatic layers: thickness, height, distance from a joint
//     retarget     a clip of one skeleton onto another
//     perform      a clip in, a clip out: timing, stronger poses, anticipation
//     exaggerate   a clip in, a cartoon clip out
//     motion       velocities and accelerations of joints, time filters, a live tracker
//     skin         linear blend and dual quaternion skinning
//     deform       the effects, and effects of your own
//     rigid        parts that keep their shape: props, helmets, robot shells
//     colliders    bodies that effects do not push skin into
//     smear        smear frames from frames of your own
//     smear_live   the same in real time, without look-ahead
//     subdivide    more triangles where smears would tear a mesh
//     settings     the settings of all stages, and pipelines made from them
//     keys         the table of every key of a style file
//     layout       where the fields of structs are, for bindings in other languages
#ifndef LIMBER_STAGES_STAGES_H
#define LIMBER_STAGES_STAGES_H

#include <limber/stages/colliders.h>
#include <limber/stages/contacts.h>
#include <limber/stages/deform.h>
#include <limber/stages/exaggerate.h>
#include <limber/stages/expression.h>
#include <limber/stages/impact.h>
#include <limber/stages/keys.h>
#include <limber/stages/layer.h>
#include <limber/stages/layout.h>
#include <limber/stages/motion.h>
#include <limber/stages/perform.h>
#include <limber/stages/pose.h>
#include <limber/stages/retarget.h>
#include <limber/stages/rigid.h>
#include <limber/stages/settings.h>
#include <limber/stages/skin.h>
#include <limber/stages/smear.h>
#include <limber/stages/smear_live.h>
#include <limber/stages/subdivide.h>

#endif
