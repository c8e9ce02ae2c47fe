// Bad styles: each gives one clear line, says where, and suggests what was meant.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "kit/sanitized.h"
#include "kit/style_kit.h"

typedef struct bad {
    const char *text, *place, *message;
} bad;

// Refused when it is read.
static const bad unreadable[] = {
    // not JSON
    {"", "line 1, column 1", "expected a value, found the end of the text"},
    {"{\"effects\": {\"floppy\": {\"angular\": 0.5}}", "line 1, column 1",
     "the object that starts here is never closed"},
    {"{\n  \"size\": 1\n  \"loop\": true\n}", "line 3, column 3", "expected ',' or '}'"},
    {"{\"effects\": {\"floppy\": {\"angular\": 0.5,,}}}", "line 1, column 40 (effects.floppy)",
     "expected a key in double quotes or '}', found ','"},
    {"{\"effects\": {\"floppy\": {\"angular\": .5}}}", "line 1, column 36 (effects.floppy.angular)",
     "expected a value, found '.'"},
    {"{\"effects\": {\"floppy\": {\"angular\": 0,5}}}", "line 1, column 38 (effects.floppy)", "expected a key"},
    {"{\"effects\": {\"squash\": {\"about\": axis}}}", "line 1, column 34 (effects.squash.about)",
     "put double quotes around this word: \"axis\""},
    {"{size: 1}", "line 1, column 2", "a key needs double quotes"},
    {"{\"size\": 1e400}", "line 1, column 10 (size)", "this number is too large"},
    {"{\"size\": NaN}", "line 1, column 10 (size)", "put double quotes around this word: \"NaN\""},
    {"{\"size\": 1,\n \"size\": 2}", "line 2, column 2 (size)", "duplicate key 'size'"},
    {"{\"joints\": {\"Head\": {\"*\": 0}, \"Head\": {\"*\": 1}}}", "line 1, column 31 (joints.Head)",
     "duplicate key 'Head'"},
    {"{} {}", "line 1, column 4", "expected the end of the text, found '{'"},
    {"/* no end", "line 1, column 1", "never ends with */"},
    // not an object
    {"[]", "line 1, column 1", "expected an object: { ... }, found a list of 0"},
    {"0.5", "line 1, column 1", "expected an object: { ... }, found the number 0.5"},
    {"{\"effects\": []}", "line 1, column 13 (effects)", "expected an object: { ... }, found a list of 0"},
    {"{\"effects\": {\"floppy\": 0.5}}", "line 1, column 24 (effects.floppy)",
     "expected an object: { ... }, found the number 0.5"},
    {"{\"effects\": {\"floppy\": {\"filter\": \"lowpass\"}}}", "line 1, column 35 (effects.floppy.filter)",
     "found \"lowpass\""},
    {"{\"joints\": {\"Head\": 0}}", "line 1, column 21 (joints.Head)", "expected an object"},
    {"{\"effects\": null}", "line 1, column 13 (effects)", "found null"},
    // unknown keys and words
    {"{\"efects\": {}}", "line 1, column 2 (efects)", "unknown key 'efects'; did you mean 'effects'?"},
    {"{\"Size\": 1}", "line 1, column 2 (Size)", "unknown key 'Size'; did you mean 'size'?"},
    {"{\"xyzzy\": 1}", "line 1, column 2 (xyzzy)", "unknown key 'xyzzy' (known: limber, $schema, size,"},
    {"{\n\"effects\": {\n  \"flopy\": {}}}", "line 3, column 3 (effects.flopy)",
     "unknown effect 'flopy'; did you mean 'floppy'?"},
    {"{\"effects\": {\"follow_through\": {}}}", "line 1, column 14 (effects.follow_through)",
     "did you mean 'followthrough'?"},
    {"{\"effects\": {\"floppy\": {\"angualr\": 1}}}", "line 1, column 25 (effects.floppy.angualr)",
     "did you mean 'angular'?"},
    {"{\"effects\": {\"floppy\": {\"maxbend\": 1}}}", "line 1, column 25 (effects.floppy.maxbend)",
     "did you mean 'max_bend'?"},
    {"{\"effects\": {\"squash\": {\"max_bend\": 1}}}", "line 1, column 25 (effects.squash.max_bend)",
     "squash does not use 'max_bend' (it has: linear, angular, about, driven_by, fade, max, layer, filter)"},
    {"{\"effects\": {\"stretch\": {\"linear\": 1}}}", "line 1, column 26 (effects.stretch.linear)",
     "stretch does not use 'linear'"},
    {"{\"effects\": {\"floppy.angular\": 1}}", "line 1, column 14 (effects.floppy.angular)",
     "unknown effect 'floppy.angular'"},
    {"{\"effects\": {\"drag\": {\"filter\": {\"gama\": 1}}}}", "line 1, column 34 (effects.drag.filter.gama)",
     "did you mean 'gamma'?"},
    {"{\"effects\": {\"drag\": {\"filter\": {\"velocty\": {}}}}}", "line 1, column 34 (effects.drag.filter.velocty)",
     "did you mean 'velocity'?"},
    {"{\"effects\": {\"floppy\": {\"filter\": {\"acceleration\": {}}}}}",
     "line 1, column 36 (effects.floppy.filter.acceleration)",
     "(known: type, gamma, frequency, damping, velocity, angular_velocity)"},
    {"{\"effects\": {\"lift\": {\"cone\": {\"appex\": [0,0,0]}}}}", "line 1, column 32 (effects.lift.cone.appex)",
     "did you mean 'apex'?"},
    {"{\"joints\": {\"Head\": {\"flopy\": 1}}}", "line 1, column 22 (joints.Head.flopy)", "did you mean 'floppy'?"},
    {"{\"joints\": {\"Head\": {\"squash.angluar\": 1}}}", "line 1, column 22 (joints.Head.squash.angluar)",
     "did you mean 'squash.angular'?"},
    {"{\"joints\": {\"Head\": {\"stretch.linear\": 1}}}", "line 1, column 22 (joints.Head.stretch.linear)",
     "unknown key 'stretch.linear'"},
    {"{\"skinning\": \"dual_quat\"}", "line 1, column 14 (skinning)",
     "unknown word 'dual_quat'; did you mean 'dualquat'? (known: linear, dualquat)"},
    {"{\"effects\": {\"squash\": {\"about\": \"centre\"}}}", "line 1, column 34 (effects.squash.about)",
     "did you mean 'center'?"},
    {"{\"effects\": {\"drag\": {\"filter\": {\"type\": \"low-pass\"}}}}",
     "line 1, column 42 (effects.drag.filter.type)", "did you mean 'lowpass'?"},
    {"{\"effects\": {\"lift\": {\"source\": [\"stretch\", \"strech\"]}}}", "line 1, column 45 (effects.lift.source)",
     "did you mean 'stretch'?"},
    {"{\"smear\": {\"step\": 17}}", "line 1, column 20 (smear.step)", "17 is out of range: 1 ... 16 frames"},
    {"{\"smear\": {\"elongat\": {}}}", "line 1, column 12 (smear.elongat)", "did you mean 'elongate'?"},
    {"{\"smear\": {\"elongate\": {\"amount\": \"2 * ofset\"}}}", "line 1, column 35 (smear.elongate.amount)",
     "did you mean 'offset'?"},
    {"{\"smear\": {\"lines\": {\"length\": \"2 * copy\"}}}", "line 1, column 32 (smear.lines.length)",
     "'copy' cannot be used here: it is known only in \"multiples\""},
    {"{\"smear\": {\"offsets\": {\"prune\": [1]}}}", "line 1, column 34 (smear.offsets.prune)",
     "expected a name in quotes, found the number 1"},
    {"{\"smear\": {\"offsets\": {\"prune\": \"Hand\"}}}", "line 1, column 33 (smear.offsets.prune)",
     "expected a list of names in quotes"},
    {"{\"meshes\": {\"mesh\": {\"effects\": {\"flopy\": 0}}}}", "line 1, column 34 (meshes.mesh.effects.flopy)",
     "unknown key 'flopy'; did you mean 'floppy'?"},
    {"{\"meshes\": {\"mesh\": {\"smear\": {\"elongat\": {}}}}}", "line 1, column 32 (meshes.mesh.smear.elongat)",
     "did you mean 'elongate'?"},
    {"{\"smear\": {\"lines\": {\"from\": \"edge\"}}}", "line 1, column 30 (smear.lines.from)",
     "unknown word 'edge' (known: surface, silhouette)"},
    {"{\"exagerate\": {}}", "line 1, column 2 (exagerate)", "did you mean 'exaggerate'?"},
    {"{\"exaggerate\": {\"filter\": {\"sgima\": 1}}}", "line 1, column 28 (exaggerate.filter.sgima)",
     "did you mean 'sigma'?"},
    {"{\"exaggerate\": {\"filter\": {\"amount\": \"height\"}}}", "line 1, column 38 (exaggerate.filter.amount)",
     "height"},
    {"{\"exaggerate\": {\"kinematic\": \"t\"}}", "line 1, column 30 (exaggerate.kinematic)", "expected a plain number"},
    {"{\"exaggerate\": {\"constraints\": \"none\"}}", "line 1, column 32 (exaggerate.constraints)",
     "expected a list of constraints or \"auto\", found \"none\""},
    {"{\"exaggerate\": {\"constraints\": [{\"joint\": \"Head\", \"elongat\": 1}]}}",
     "line 1, column 62 (exaggerate.constraints)", "unknown key 'elongat' of a constraint; did you mean 'elongate'?"},
    {"{\"exaggerate\": {\"constraints\": [{\"elongate\": 1}]}}", "line 1, column 33 (exaggerate.constraints)",
     "a constraint needs a \"joint\""},
    {"{\"exaggerate\": {\"constraints\": [{\"joint\": \"Head\"}]}}", "line 1, column 33 (exaggerate.constraints)",
     "either \"elongate\" or \"keys\""},
    {"{\"exaggerate\": {\"constraints\": [{\"joint\": \"Head\", \"elongate\": 1, \"keys\": [[0, [0, 0, 0]]]}]}}",
     "line 1, column 33 (exaggerate.constraints)", "not both"},
    {"{\"exaggerate\": {\"constraints\": [{\"joint\": \"Head\", \"elongate\": \"height\"}]}}",
     "line 1, column 63 (exaggerate.constraints)", "height"},
    {"{\"exaggerate\": {\"constraints\": [{\"joint\": \"Head\", \"keys\": [[1, [0, 0, 0]], [1, [0, 0, 0]]]}]}}",
     "line 1, column 77 (exaggerate.constraints)", "must increase"},
    {"{\"exaggerate\": {\"constraints\": [{\"joint\": \"Head\", \"keys\": [[1, [0, 0]]]}]}}",
     "line 1, column 60 (exaggerate.constraints)", "a key: [seconds, [x, y, z]]"},
    {"{\"exaggerate\": {\"constraints\": [{\"joint\": \"Head\", \"elongate\": 1, \"weight\": -1}]}}",
     "line 1, column 76 (exaggerate.constraints)", "-1 is out of range"},
    // wrong types
    {"{\"effects\": {\"floppy\": {\"angular\": true}}}", "line 1, column 36 (effects.floppy.angular)",
     "expected a number or a formula in quotes, found true"},
    {"{\"effects\": {\"floppy\": {\"angular\": {\"x\": 1}}}}", "line 1, column 36 (effects.floppy.angular)",
     "found an object"},
    {"{\"effects\": {\"floppy\": {\"angular\": [1]}}}", "line 1, column 36 (effects.floppy.angular)",
     "found a list of 1"},
    {"{\"effects\": {\"floppy\": {\"angular\": null}}}", "line 1, column 36 (effects.floppy.angular)", "found null"},
    {"{\"effects\": {\"floppy\": {\"layer\": 3}}}", "line 1, column 34 (effects.floppy.layer)",
     "expected a name in quotes, found the number 3"},
    {"{\"effects\": {\"overlap\": {\"ahead\": \"0.1 * t\"}}}", "line 1, column 35 (effects.overlap.ahead)",
     "expected a plain number, found \"0.1 * t\" (no formula here"},
    {"{\"effects\": {\"drag\": {\"filter\": {\"gamma\": \"0.1 * speed\"}}}}",
     "line 1, column 43 (effects.drag.filter.gamma)", "'speed'"},
    {"{\"size\": \"big\"}", "line 1, column 10 (size)", "expected a number or \"auto\", found \"big\""},
    {"{\"loop\": 1}", "line 1, column 10 (loop)", "expected \"auto\", false or true, found the number 1"},
    {"{\"loop\": \"true\"}", "line 1, column 10 (loop)", "write true without quotes"},
    {"{\"skinning\": false}", "line 1, column 14 (skinning)", "expected \"linear\" or \"dualquat\", found false"},
    {"{\"effects\": {\"lift\": {\"source\": \"stretch\"}}}", "line 1, column 33 (effects.lift.source)",
     "expected a list of words"},
    {"{\"effects\": {\"lift\": {\"source\": [\"drag\", 1]}}}", "line 1, column 42 (effects.lift.source)",
     "expected a word in quotes, found the number 1"},
    {"{\"effects\": {\"lift\": {\"source\": []}}}", "line 1, column 33 (effects.lift.source)", "the list is empty"},
    {"{\"effects\": {\"lift\": {\"source\": [\"drag\", \"drag\"]}}}", "line 1, column 42 (effects.lift.source)",
     "'drag' is in the list twice"},
    {"{\"effects\": {\"lift\": {\"source\": [\"lift\"]}}}", "line 1, column 34 (effects.lift.source)",
     "unknown word 'lift'"},
    {"{\"effects\": {\"lift\": {\"cone\": {\"axis\": [0, 1]}}}}", "line 1, column 40 (effects.lift.cone.axis)",
     "expected a list of three numbers, found a list of 2"},
    {"{\"joints\": {\"Head\": {\"centroid_offset\": [0, \"t\", 0]}}}",
     "line 1, column 45 (joints.Head.centroid_offset)", "expected a plain number, found \"t\""},
    // out of range
    {"{\"limber\": 2}", "line 1, column 12 (limber)", "version 2 of the style format is not supported (supported: 1)"},
    {"{\"size\": 0}", "line 1, column 10 (size)", "0 is out of range: above 0, at most 1e9 model units"},
    {"{\"derivative_step\": 2}", "line 1, column 21 (derivative_step)", "2 is out of range: 0.0001 ... 1 s"},
    {"{\"effects\": {\"floppy\": {\"max_bend\": 181}}}", "line 1, column 37 (effects.floppy.max_bend)",
     "181 is out of range: 0 ... 180 degrees"},
    {"{\"effects\": {\"floppy\": {\"linear\": 1e7}}}", "line 1, column 35 (effects.floppy.linear)",
     "1e7 is out of range: -1000000 ... 1000000 s"},
    {"{\"effects\": {\"drag\": {\"turn\": -0.1}}}", "line 1, column 31 (effects.drag.turn)", "-0.1 is out of range"},
    {"{\"effects\": {\"drag\": {\"threshold\": 0.5}}}", "line 1, column 23 (effects.drag.threshold)",
     "'threshold' is now 'turn': the seconds"},
    {"{\"effects\": {\"drag\": {\"filter\": {\"gamma\": 0}}}}", "line 1, column 43 (effects.drag.filter.gamma)",
     "0 is out of range: above 0, at most 1"},
    {"{\"effects\": {\"lift\": {\"cone\": {\"half_angle\": 90}}}}", "line 1, column 46 (effects.lift.cone.half_angle)",
     "90 is out of range"},
    {"{\"effects\": {\"lift\": {\"cone\": {\"apex\": [0, 1e10, 0]}}}}", "line 1, column 44 (effects.lift.cone.apex)",
     "1e10 is out of range"},
    {"{\"exaggerate\": {\"plant\": [\"Leg*\"]}}", "line 1, column 17 (exaggerate.plant)",
     "'plant' is now \"contact\": 1"},
    // formulas
    {"{\"effects\": {\"floppy\": {\"angular\": \"0.4 * heigth\"}}}", "line 1, column 36 (effects.floppy.angular)",
     "did you mean 'height'?"},
    {"{\"effects\": {\"floppy\": {\"angular\": \"0.4 *\"}}}", "line 1, column 36 (effects.floppy.angular)", "missing"},
    {"{\"effects\": {\"floppy\": {\"angular\": \"smothstep(0, 1, t)\"}}}", "line 1, column 36 (effects.floppy.angular)",
     "smoothstep"},
    {"{\"effects\": {\"floppy\": {\"angular\": \"offset\"}}}", "line 1, column 36 (effects.floppy.angular)", "offset"},
    {"{\"effects\": {\"floppy\": {\"angular\": \"\"}}}", "line 1, column 36 (effects.floppy.angular)", "empty"},
    {"{\"effects\": {\"floppy\": {\"angular\": \"copy\"}}}", "line 1, column 36 (effects.floppy.angular)", "copy"},
    {"{\"effects\": {\"floppy\": {\"angular\": \"copies\"}}}", "line 1, column 36 (effects.floppy.angular)", "copies"},
    {"{\"joints\": {\"Head\": {\"floppy\": \"height\"}}}", "line 1, column 32 (joints.Head.floppy)",
     "'height' cannot be used here: it differs from vertex to vertex"},
    {"{\"joints\": {\"Head\": {\"*\": \"t * paint.ears\"}}}", "line 1, column 27 (joints.Head.*)",
     "'paint.ears' cannot be used here: it differs from vertex to vertex"},
    {"{\"joints\": {\"Head\": {\"squash.angular\": \"voronoi(3)\"}}}", "line 1, column 40 (joints.Head.squash.angular)",
     "'voronoi' uses 'x', which cannot be used here"},
    {"{\"joints\": {\"Head\": {\"drag\": \"speed\"}}}", "line 1, column 30 (joints.Head.drag)",
     "'speed' cannot be used here"},
    {"{\"joints\": {\"Head\": {\"drag\": \"phas\"}}}", "line 1, column 30 (joints.Head.drag)", "did you mean 'phase'?"},
};

// Read, but refused for the character of the kit.
static const bad unbindable[] = {
    {"{\"exaggerate\": {\"constraints\": [{\"joint\": \"Head\", \"elongate\": 1}, {\"joint\": \"Hed\", \"elongate\": "
     "1}]}}",
     "line 1, column 32 (exaggerate.constraints[1].joint)", "no joint matches 'Hed'; did you mean 'Head'?"},
    {"{\"exaggerate\": {\"filter\": {\"joints\": \"Head, LegI\"}}}", "line 1, column 38 (exaggerate.filter.joints)",
     "no joint matches 'LegI'; did you mean 'LegL'?"},
    {"{\"smear\": {\"motion\": {\"part\": \"relative\"}}}", "line 1, column 31 (smear.motion.part)",
     "needs smear.motion.joint"},
    {"{\"smear\": {\"motion\": {\"joint\": \"Hed\"}}}", "line 1, column 32 (smear.motion.joint)",
     "no joint matches 'Hed'; did you mean 'Head'?"},
    {"{\"meshes\": {\"mash\": {\"smear\": {\"elongate\": {\"past\": 2}}}}}", "line 1, column 13 (meshes.mash)",
     "no mesh matches 'mash'; did you mean 'mesh'?"},
    {"{\"meshes\": {\"mash\": {\"effects\": {\"floppy\": 2}}}}", "line 1, column 13 (meshes.mash)",
     "no mesh matches 'mash'; did you mean 'mesh'?"},
    {"{\"meshes\": {\"Tail*\": {\"smear\": {\"lines\": {\"length\": 2}}}}}", "line 1, column 13 (meshes.Tail*)",
     "no mesh matches 'Tail*' (meshes: mesh)"},
    {"{\"smear\": {\"lines\": {\"color\": \"#ff80\"}}}", "line 1, column 31 (smear.lines.color)",
     "'#ff80' is not a color: expected \"surface\" or \"#rrggbb\""},
    {"{\"smear\": {\"lines\": {\"color\": \"#gg8000\"}}}", "line 1, column 31 (smear.lines.color)", "is not a color"},
    {"{\"joints\": {\"Hed\": {\"*\": 0}}}", "line 1, column 13 (joints.Hed)",
     "no joint matches 'Hed'; did you mean 'Head'?"},
    {"{\"joints\": {\"head\": {\"*\": 0}}}", "line 1, column 13 (joints.head)", "did you mean 'Head'?"},
    {"{\"joints\": {\"Head\": {\"*\": 0},\n  \"Lgg*\": {\"*\": 0}}}", "line 2, column 3 (joints.Lgg*)",
     "no joint matches 'Lgg*'; did you mean 'LegL'?"},
    {"{\"joints\": {\"*kitr\": {\"*\": 0}}}", "line 1, column 13 (joints.*kitr)", "did you mean 'Skirt'?"},
    {"{\"joints\": {\"Tentacle12\": {\"*\": 0}}}", "line 1, column 13 (joints.Tentacle12)",
     "(joints: Root, Hip, Head, Arm.L, LegL, LegR, Skirt)"},
    {"{\"joints\": {\"\": {\"*\": 0}}}", "line 1, column 13 (joints.)", "no joint matches ''"},
    {"{\"effects\": {\"lift\": {\"cone\": {\"joint\": \"Skrit\"}}}}", "line 1, column 41 (effects.lift.cone.joint)",
     "no joint matches 'Skrit'; did you mean 'Skirt'?"},
    {"{\"effects\": {\"lift\": {\"cone\": {\"fit\": \"none\"}}}}", "line 1, column 39 (effects.lift.cone.fit)",
     "needs apex, axis and half_angle"},
    {"{\"effects\": {\"lift\": {\"cone\": {\"apex\": [0, 0, 0]}}}}", "line 1, column 40 (effects.lift.cone.apex)",
     "needs apex, axis and half_angle"},
    {"{\"effects\": {\"lift\": {\"cone\": {\"apex\": [0, 0, 0], \"axis\": [0, 0, 0], \"half_angle\": 9}}}}",
     "line 1, column 59 (effects.lift.cone.axis)", "the axis has no direction"},
    {"{\"effects\": {\"floppy\": {\"angular\": \"paint.eers\"}}}", "line 1, column 36 (effects.floppy.angular)",
     "no mesh has the layer of 'paint.eers'; did you mean 'paint.ears'?"},
    {"{\"effects\": {\"floppy\": {\"angular\": \"paint.wheels\"}}}", "line 1, column 36 (effects.floppy.angular)",
     "no mesh has the layer of 'paint.wheels'"},
};

static void check_error(const char* what, const limber_error* error, limber_result result, const bad* expected) {
    if (error->result != result || strcmp(error->place, expected->place) != 0 ||
        !strstr(error->message, expected->message))
        fail_msg("%s\n  gives  %s: %s\n  wanted %s: ...%s", what, error->place, error->message, expected->place,
                 expected->message);
    assert_true(error->message[0] != 0);
    assert_null(strpbrk(error->message, "\r\n"));
    assert_null(strpbrk(error->place, "\r\n"));
}

static void unreadable_styles_say_what_and_where(void** state) {
    (void)state;
    for (size_t i = 0; i < sizeof unreadable / sizeof unreadable[0]; i++) {
        limber_style* style = style_kit_read("{}");
        limber_error error;
        memset(&error, 0xAA, sizeof error);
        limber_result result = limber_style_read(style, unreadable[i].text, strlen(unreadable[i].text), &error);
        if (result == LIMBER_OK)
            fail_msg("accepted: %s", unreadable[i].text);
        check_error(unreadable[i].text, &error, result, &unreadable[i]);
        assert_string_equal(limber_style_text(style), "{}");
        limber_style_destroy(style);
    }
    print_message("%zu texts\n", sizeof unreadable / sizeof unreadable[0]);
}

static void unbindable_styles_say_what_and_where(void** state) {
    (void)state;
    limber_asset* asset = style_kit_asset();
    for (size_t i = 0; i < sizeof unbindable / sizeof unbindable[0]; i++) {
        limber_style* style = style_kit_read(unbindable[i].text);
        limber_bound_style* bound;
        limber_error error;
        limber_result result = limber_style_bind(style, asset, &bound, &error);
        assert_null(bound);
        if (result == LIMBER_OK)
            fail_msg("accepted: %s", unbindable[i].text);
        check_error(unbindable[i].text, &error, result, &unbindable[i]);
        assert_int_equal(limber_style_bind(style, asset, &bound, NULL), result);
        limber_style_destroy(style);
    }
    limber_asset_destroy(asset);
}

// From a command line the place is the path alone.
static void single_keys_say_what_and_where(void** state) {
    (void)state;
    const struct {
        const char *path, *value;
        bad expected;
    } cases[] = {
        {"effects.floppy.angular", "", {"", "effects.floppy.angular", "a value is missing"}},
        {"effects.floppy.angular", "true", {"", "effects.floppy.angular", "expected a number or a formula"}},
        {"effects.floppy.angular", "0.4 * heigth", {"", "effects.floppy.angular", "did you mean 'height'?"}},
        {"effects.floppy.angular", "1e400", {"", "effects.floppy.angular", "too large"}},
        {"effects.flopy.angular", "1", {"", "effects.flopy", "unknown effect 'flopy'; did you mean 'floppy'?"}},
        {"efects.floppy.angular", "1", {"", "efects", "did you mean 'effects'?"}},
        {"effects.floppy.angular.x", "1", {"", "effects.floppy.angular.x", "'angular' is a value and has no keys"}},
        {"size.x", "1", {"", "size.x", "'size' is a value and has no keys"}},
        {"effects.floppy", "1", {"", "effects.floppy", "expected an object"}},
        {"effects.floppy", "{\"angular\": }", {"", "effects.floppy", "expected a value"}},
        {"effects.floppy", "{\"angular\": -1e9}", {"", "effects.floppy.angular", "out of range"}},
        {"effects.lift.cone.axis", "1,2", {"", "effects.lift.cone.axis", "three numbers"}},
        {"effects.lift.source", "floppy,strech", {"", "effects.lift.source", "did you mean 'stretch'?"}},
        {"joints.Head", "0", {"", "joints.Head", "expected an object"}},
        {"meshes.mesh.effects.flopy", "0", {"", "meshes.mesh.effects.flopy", "did you mean 'floppy'?"}},
        {"meshes.a.b.effects.lfit", "0", {"", "meshes.a.b.effects.lfit", "did you mean 'lift'?"}},
        {"joints.Head.flopy", "0", {"", "joints.Head.flopy", "did you mean 'floppy'?"}},
        {"joints.\"Head.floppy", "0", {"", "joints.\"Head.floppy", "the quote in the path is not closed"}},
        {"joints", "0", {"", "joints", "expected an object"}},
        {"smear.stp", "2", {"", "smear.stp", "did you mean 'step'?"}},
        {"a.b.c.d.e.f", "1", {"", "a.b.c.d.e.f", "too many parts"}},
        {"", "1", {"", "", "unknown key ''"}},
        {"joints.\xFF.floppy", "1", {"", "joints.\xFF.floppy", "not UTF-8"}},
        {"effects.floppy.layer", "\xFF", {"", "effects.floppy.layer", "not UTF-8"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        limber_style* style = style_kit_read("{}");
        limber_error error;
        limber_result result = limber_style_set(style, cases[i].path, cases[i].value, &error);
        if (result == LIMBER_OK)
            fail_msg("accepted: %s=%s", cases[i].path, cases[i].value);
        check_error(cases[i].path, &error, result, &cases[i].expected);
        limber_style_destroy(style);
    }
}

static void errors_of_formulas_come_with_a_caret(void** state) {
    (void)state;
    limber_style* style = style_kit_read("{}");
    limber_error error;
    const char* text = "{\"effects\": {\"floppy\": {\"angular\": \"0.4 * heigth\"}}}";
    assert_int_not_equal(limber_style_read(style, text, strlen(text), &error), LIMBER_OK);
    const char* caret = strchr(error.detail, '^');
    assert_non_null(strstr(error.detail, "0.4 * heigth\n"));
    assert_non_null(caret);
    assert_int_equal(caret - (strrchr(error.detail, '\n') + 1), 6);
    text = "{\"joints\": {\"Head\": {\"floppy\": \"1 - height\"}}}";
    assert_int_not_equal(limber_style_read(style, text, strlen(text), &error), LIMBER_OK);
    assert_string_equal(error.detail, "1 - height\n    ^");
    // The next error has none of it left.
    assert_int_not_equal(limber_style_read(style, "[]", 2, &error), LIMBER_OK);
    assert_string_equal(error.detail, "");
    limber_style_destroy(style);
}

static void a_layer_in_a_formula_needs_a_character_with_layers(void** state) {
    (void)state;
    limber_style* style = style_kit_read("{}");
    style_kit_set(style, "effects.floppy.angular", "paint.eers");
    limber_asset* asset = style_kit_asset();
    limber_bound_style* bound;
    limber_error error;
    assert_int_equal(limber_style_bind(style, asset, &bound, &error), LIMBER_ERROR_DATA);
    assert_string_equal(error.place, "effects.floppy.angular");
    limber_asset_destroy(asset);
    limber_style_destroy(style);
}

static void long_and_odd_names_stay_in_one_line(void** state) {
    (void)state;
    limberi_buffer text = {NULL, 0, 0, false};
    limberi_buffer_add(&text, "{\"joints\": {\"");
    limberi_buffer_fill(&text, 'x', 400);
    limberi_buffer_add(&text, "\": {\"*\": 0}}}");
    limber_style* style = style_kit_read("{}");
    limber_error error;
    assert_int_equal(limber_style_read(style, text.data, text.length, &error), LIMBER_ERROR_LIMIT);
    assert_non_null(strstr(error.message, "max 255 bytes"));
    const char* odd = "{\"a\\nb\\u00e9\": 1}";
    assert_int_equal(limber_style_read(style, odd, strlen(odd), &error), LIMBER_ERROR_DATA);
    assert_string_equal(error.place, "line 1, column 2 (a?b\xC3\xA9)");
    assert_null(strchr(error.message, '\n'));
    limberi_buffer_free(&text);
    limber_style_destroy(style);
}

static void too_many_keys_are_refused(void** state) {
    (void)state;
    if (TEST_SANITIZED)
        skip();
    limber_style* style = style_kit_read("{}");
    limber_error error;
    limber_result result = LIMBER_OK;
    for (int block = 0; block < 3 && !result; block++) {
        limberi_buffer text = {NULL, 0, 0, false};
        limberi_buffer_add(&text, "{\"joints\": {");
        for (int i = 0; i < 7000; i++)
            limberi_buffer_format(&text, "\"%d\": {\"*\": 0},", 7000 * block + i);
        limberi_buffer_add(&text, "}}");
        result = limber_style_read(style, text.data, text.length, &error);
        limberi_buffer_free(&text);
    }
    assert_int_equal(result, LIMBER_ERROR_LIMIT);
    assert_non_null(strstr(error.message, "too many keys (max 16384)"));
    limber_style_destroy(style);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unreadable_styles_say_what_and_where),
        cmocka_unit_test(unbindable_styles_say_what_and_where),
        cmocka_unit_test(single_keys_say_what_and_where),
        cmocka_unit_test(errors_of_formulas_come_with_a_caret),
        cmocka_unit_test(a_layer_in_a_formula_needs_a_character_with_layers),
        cmocka_unit_test(long_and_odd_names_stay_in_one_line),
        cmocka_unit_test(too_many_keys_are_refused),
    };
    return cmocka_run_group_tests_name("style_errors", tests, NULL, NULL);
}
