// What stands on the ground in a clip, for people and for machines.
#include "cli/report.h"

#include "base/error.h"
#include <limber/stages/impact.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_NAMES = 8, MAX_LEVELS = 6, MAX_LANDINGS = 4 }; // of lists that people read

// --- in words ---

typedef struct line {
    char* text;
    size_t size, length;
} line;

LIMBERI_PRINTF(2, 3) static void say(line* l, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(l->text + l->length, l->size - l->length, format, arguments);
    va_end(arguments);
    l->length += length > 0 ? (size_t)length : 0;
    l->length = l->length < l->size ? l->length : l->size - 1;
}

// Contacts are listed by joint: the next one that is of another joint.
static uint32_t next_joint(const limber_contacts* contacts, uint32_t from, double* lasts_s) {
    uint32_t end = from;
    uint32_t joint = limber_contact_at(contacts, from).joint;
    *lasts_s = 0;
    for (; end < limber_contact_count(contacts) && limber_contact_at(contacts, end).joint == joint; end++)
        *lasts_s += limber_contact_at(contacts, end).to_s - limber_contact_at(contacts, end).from_s;
    return end;
}

// The joint that touches longest, but less long than the one named before (or listed after it).
static bool next_longest(const limber_contacts* contacts, double* lasts_s, uint32_t* joint) {
    double best_s = -1;
    double before_s = *lasts_s;
    double now_s;
    uint32_t best = 0;
    uint32_t before = *joint;
    for (uint32_t i = 0, end; i < limber_contact_count(contacts); i = end) {
        uint32_t one = limber_contact_at(contacts, i).joint;
        end = next_joint(contacts, i, &now_s);
        bool is_left = now_s < before_s || (now_s == before_s && one > before);
        if (is_left && now_s > best_s) {
            best_s = now_s;
            best = one;
        }
    }
    *lasts_s = best_s;
    *joint = best;
    return best_s >= 0;
}

static void say_joints(line* l, const limber_model* model, const limber_contacts* contacts) {
    double lasts_s = INFINITY;
    double unused;
    uint32_t joint = 0;
    uint32_t count = 0;
    uint32_t named = 0;
    for (uint32_t i = 0; i < limber_contact_count(contacts); count++)
        i = next_joint(contacts, i, &unused);
    for (; named < MAX_NAMES && next_longest(contacts, &lasts_s, &joint); named++)
        say(l, "%s%s", named ? ", " : "on the ground: ", model->rig.names[joint]);
    if (count > named)
        say(l, " and %u more", count - named);
}

static double rounded(double height) { // no -0, no 1e-17
    double value = round(height * 1000) / 1000;
    if (fabs(height) < 0.0005)
        return 0;
    return fabs(height) < 100 ? value : height;
}

static void say_levels(line* l, const limber_contacts* contacts) {
    uint32_t count = limber_contacts_level_count(contacts);
    if (count > MAX_LEVELS) {
        say(l, "; %u floors from %.5g to %.5g", count, rounded(limber_contacts_level(contacts, 0)),
            rounded(limber_contacts_level(contacts, count - 1)));
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        const char* first = count > 1 ? "; floors at " : "; floor at ";
        say(l, "%s%.5g", i ? ", " : first, rounded(limber_contacts_level(contacts, i)));
    }
}

static void say_landings(line* l, const limber_contacts* contacts) {
    double min_speed = limber_impact_settings_default().min_speed;
    uint32_t count = 0;
    for (uint32_t i = 0; i < limber_landing_count(contacts); i++) {
        limber_landing landing = limber_landing_at(contacts, i);
        if (landing.speed < min_speed)
            continue;
        if (count < MAX_LANDINGS)
            say(l, "%s%.2f s (%.2g L/s)", count ? ", " : "; lands at ", landing.time_s, landing.speed);
        count++;
    }
    if (count > MAX_LANDINGS)
        say(l, " and %u more", count - MAX_LANDINGS);
}

static bool is_named_before(const limber_contacts* contacts, uint32_t index) {
    for (uint32_t i = 0; i < index; i++)
        if (limber_grip_at(contacts, i).joint == limber_grip_at(contacts, index).joint)
            return true;
    return false;
}

static void say_grips(line* l, const limber_model* model, const limber_contacts* contacts) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < limber_grip_count(contacts); i++) {
        if (is_named_before(contacts, i))
            continue;
        if (count < MAX_NAMES)
            say(l, "%s%s", count ? ", " : "; holds on: ", model->rig.names[limber_grip_at(contacts, i).joint]);
        count++;
    }
    if (count > MAX_NAMES)
        say(l, " and %u more", count - MAX_NAMES);
}

static void say_ground(line* l, const limber_model* model, const limber_contacts* contacts) {
    double belt[2];
    if (!limber_contact_count(contacts) && !limber_landing_count(contacts)) {
        say(l, limber_contacts_level_count(contacts) ? "never on the ground" : "no floor: never rests on the ground");
        return;
    }
    limber_contacts_belt(contacts, belt);
    if (limber_contact_count(contacts))
        say_joints(l, model, contacts);
    else
        say(l, "only bounces on the ground");
    say_levels(l, contacts);
    if (belt[0] != 0 || belt[1] != 0)
        say(l, "; walks on the spot at %.3g per second", hypot(belt[0], belt[1]));
    say_landings(l, contacts);
}

void cli_ground_describe(const limber_model* model, const limber_contacts* contacts, char* text, size_t size) {
    line l = {text, size, 0};
    text[0] = 0;
    say_ground(&l, model, contacts);
    say_grips(&l, model, contacts);
}

// --- as data ---

static void report_contacts(limberi_json_writer* w, const limber_model* model, const limber_contacts* contacts) {
    cli_report_open(w, "contacts", '[');
    for (uint32_t i = 0; i < limber_contact_count(contacts); i++) {
        limber_contact one = limber_contact_at(contacts, i);
        cli_report_open(w, NULL, '{');
        cli_report_text(w, "joint", model->rig.names[one.joint]);
        cli_report_real(w, "from", one.from_s);
        cli_report_real(w, "to", one.to_s);
        cli_report_real(w, "height", one.height);
        limberi_json_close(w, '}');
    }
    limberi_json_close(w, ']');
}

static void report_landings(limberi_json_writer* w, const limber_contacts* contacts) {
    cli_report_open(w, "landings", '[');
    for (uint32_t i = 0; i < limber_landing_count(contacts); i++) {
        limber_landing landing = limber_landing_at(contacts, i);
        cli_report_open(w, NULL, '{');
        cli_report_real(w, "time", landing.time_s);
        cli_report_real(w, "speed", landing.speed);
        limberi_json_close(w, '}');
    }
    limberi_json_close(w, ']');
}

static void report_grips(limberi_json_writer* w, const limber_model* model, const limber_contacts* contacts) {
    cli_report_open(w, "grips", '[');
    for (uint32_t i = 0; i < limber_grip_count(contacts); i++) {
        limber_grip grip = limber_grip_at(contacts, i);
        cli_report_open(w, NULL, '{');
        cli_report_text(w, "joint", model->rig.names[grip.joint]);
        cli_report_real(w, "from", grip.from_s);
        cli_report_real(w, "to", grip.to_s);
        limberi_json_close(w, '}');
    }
    limberi_json_close(w, ']');
}

void cli_ground_report(limberi_json_writer* w, const limber_model* model, const limber_contacts* contacts) {
    double belt[2];
    if (!contacts) {
        cli_report_null(w, "ground");
        return;
    }
    limber_contacts_belt(contacts, belt);
    cli_report_open(w, "ground", '{');
    cli_report_open(w, "levels", '[');
    for (uint32_t i = 0; i < limber_contacts_level_count(contacts); i++)
        cli_report_real(w, NULL, limber_contacts_level(contacts, i));
    limberi_json_close(w, ']');
    cli_report_reals(w, "belt", belt, 2);
    report_contacts(w, model, contacts);
    report_landings(w, contacts);
    report_grips(w, model, contacts);
    limberi_json_close(w, '}');
}
