// Films of `limber render`, looked at with ffmpeg and ffprobe: frames, sizes, rates, colours; and what is left when
// something goes wrong, which is nothing.
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/file.h"
#include "kit/models.h"
#include "kit/program.h"

static void make(const char* arguments) {
    answer a = test_limber("", "render", arguments);
    if (a.status != 0 || a.text[0])
        fail_msg("limber render %s: status %d, '%s'", arguments, a.status, a.text);
}

static size_t count_files(const char* pattern) {
    glob_t found;
    size_t count = glob(pattern, 0, NULL, &found) == 0 ? found.gl_pathc : 0;
    globfree(&found);
    return count;
}

static void expect_failure(const char* prefix, const char* arguments, int status, const char* words) {
    test_fails(prefix, "render", arguments, status, words, 1);
    assert_int_equal(count_files("out.*"), 0); // temporary ones begin like this, too
}

static int make_tubes(void** state) {
    (void)state;
    static const char* const names[3] = {"turn.glb", "loop.glb", "fast.glb"};
    int status = test_folder_enter();
    for (int i = 0; i < 3 && !status; i++)
        status = test_tube_write(names[i], 3, 1.5f, i == 2 ? 120 : 12, i == 1);
    return status;
}

static int remove_films(void** state) {
    (void)state;
    return test_shell("rm -f out.*").status;
}

static int remove_tubes(void** state) {
    (void)state;
    return test_shell("rm -rf fake *.glb [a-z].raw [a-z].png still.webp").status || test_folder_leave();
}

// --- what is in a film ---

// Rates of .gif are guesses: its frames last whole hundredths of a second. NULL leaves the rate out.
static void expect_film(const char* path, unsigned frames, unsigned width, unsigned height, const char* rate) {
    char command[512], wanted[128];
    snprintf(command, sizeof command,
             "ffprobe -v error -count_frames -select_streams v:0 -show_entries "
             "stream=width,height,nb_read_frames%s -of csv=p=0 %s 2>&1",
             rate ? ",r_frame_rate" : "", path);
    snprintf(wanted, sizeof wanted, "%u,%u,%s%s%u\n", width, height, rate ? rate : "", rate ? "," : "", frames);
    answer a = test_shell(command);
    if (a.status != 0 || strcmp(a.text, wanted) != 0)
        fail_msg("%s: %s instead of %s", path, a.text, wanted);
}

static void mp4_shows_a_loop_for_two_seconds_and_other_clips_once(void** state) {
    (void)state;
    make("loop.glb --no-ground --fps 3 -o out.mp4 --size 64x48");
    expect_film("out.mp4", 6, 64, 48, "3/1"); // the fourth frame would be the first again
    make("loop.glb --no-ground --fps 3 -o out.mp4 --size 64x48 --loops 3");
    expect_film("out.mp4", 9, 64, 48, "3/1");
    make("turn.glb --no-ground --fps 3 -o out.mp4 --size 64x48");
    expect_film("out.mp4", 4, 64, 48, "3/1");
    make("loop.glb --no-ground --fps 3 -o out.mp4 --size 64x48 --range 0.3:0.7");
    expect_film("out.mp4", 2, 64, 48, "3/1");
}

static void rates_are_exact(void** state) {
    (void)state;
    make("turn.glb --no-ground -o out.mp4 --size 32x32 --fps 29.97 --range 0:0.14");
    expect_film("out.mp4", 5, 32, 32, "30000/1001");
    make("turn.glb --no-ground -o out.mp4 --size 32x32 --fps 12.5 --range 0:0.35");
    expect_film("out.mp4", 5, 32, 32, "25/2");
    make("turn.glb --no-ground -o out.mp4 --size 32x32 --fps 120 --range 0:0.05");
    expect_film("out.mp4", 7, 32, 32, "120/1");
}

static void fast_clips_lose_every_second_frame(void** state) {
    (void)state;
    make("fast.glb --no-ground -o out.mp4 --size 32x32 --range 0:0.05");
    expect_film("out.mp4", 4, 32, 32, "60/1");
    make("fast.glb --no-ground -o out.gif --size 32x32 --range 0:0.05"); // at 40 a second
    expect_film("out.gif", 3, 32, 32, NULL);
}

static void sides_of_mp4_are_even(void** state) {
    (void)state;
    make("turn.glb --no-ground --fps 6 -o out.mp4 --size 63x47 --range 0:0.2");
    expect_film("out.mp4", 2, 64, 48, "6/1");
    make("turn.glb --no-ground --fps 6 -o out.mp4 --size 1x1 --range 0:0.2");
    expect_film("out.mp4", 2, 2, 2, "6/1");
    // Gaps of 12 between and around, captions of 24, a title of 36.
    make("turn.glb --no-ground --fps 6 -o out.mp4 --size 63x47 --range 0:0.2 --compare");
    expect_film("out.mp4", 2, 2 * 63 + 3 * 12, 47 + 24 + 12 + 36 + 1, "6/1");
}

static limberi_bytes read_whole(const char* path, limberi_arena* arena) {
    limberi_bytes bytes;
    limber_error error;
    if (limberi_file_read(path, 1 << 26, arena, &bytes, &error) != LIMBER_OK)
        fail_msg("%s: %s", path, error.message);
    return bytes;
}

static bool holds(limberi_bytes bytes, const char* text, size_t length) {
    for (size_t i = 0; i + length <= bytes.size; i++)
        if (memcmp(bytes.data + i, text, length) == 0)
            return true;
    return false;
}

static void gif_repeats_for_ever_without_its_last_frame(void** state) {
    (void)state;
    limberi_arena arena = {0};
    make("loop.glb --no-ground --fps 6 -o out.gif --size 63x47");
    expect_film("out.gif", 6, 63, 47, NULL);
    // Hundredths of a second; how long the last frame stays is the encoder's guess.
    answer delays = test_shell("ffprobe -v error -show_entries packet=duration -of csv=p=0 out.gif | tr '\\n' ' '");
    assert_memory_equal(delays.text, "17 16 17 17 16 1", 16);
    assert_true(holds(read_whole("out.gif", &arena), "NETSCAPE2.0\3\1\0\0", 15));
    limberi_arena_free(&arena);
}

// --- .webp, which this ffmpeg writes but does not read ---

typedef struct webp {
    uint32_t width, height, frames, duration_ms, loops;
    bool alpha;
    const uint8_t* first; // the chunks of the first frame
    size_t first_size;
} webp;

static uint32_t number(const uint8_t* p, int bytes) {
    uint32_t value = 0;
    for (int i = bytes; i-- > 0;)
        value = value << 8 | p[i];
    return value;
}

static webp read_webp(limberi_bytes file) {
    webp w;
    memset(&w, 0, sizeof w);
    w.loops = UINT32_MAX;
    assert_true(file.size > 12 && memcmp(file.data, "RIFF", 4) == 0 && memcmp(file.data + 8, "WEBP", 4) == 0);
    assert_int_equal(number(file.data + 4, 4) + 8, file.size);
    for (size_t at = 12; at + 8 <= file.size;) {
        const uint8_t* chunk = file.data + at + 8;
        size_t size = number(file.data + at + 4, 4);
        assert_true(at + 8 + size <= file.size);
        if (memcmp(file.data + at, "VP8X", 4) == 0) {
            w.alpha = chunk[0] & 16;
            w.width = number(chunk + 4, 3) + 1;
            w.height = number(chunk + 7, 3) + 1;
        } else if (memcmp(file.data + at, "ANIM", 4) == 0) {
            w.loops = number(chunk + 4, 2);
        } else if (memcmp(file.data + at, "ANMF", 4) == 0) {
            w.duration_ms += number(chunk + 12, 3);
            w.first = w.frames++ ? w.first : chunk;
            w.first_size = w.frames == 1 ? size : w.first_size;
        }
        at += 8 + size + (size & 1);
    }
    return w;
}

static void put(FILE* out, const char* name, uint32_t value) {
    const uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24)};
    fwrite(name, 1, strlen(name), out);
    fwrite(bytes, 1, 4, out);
}

// The first frame as a separate picture. Transparent borders are not part of it. Returns its pixels.
static size_t save_first(const webp* w) {
    uint32_t chunks = (uint32_t)w->first_size - 16;
    FILE* out = fopen("still.webp", "wb");
    assert_non_null(out);
    put(out, "RIFF", 4 + 18 + chunks);
    put(out, "WEBPVP8X", 10);
    const uint8_t flags[4] = {w->alpha ? 16 : 0, 0, 0, 0};
    fwrite(flags, 1, 4, out);
    fwrite(w->first + 6, 1, 6, out);
    fwrite(w->first + 16, 1, chunks, out);
    assert_int_equal(fclose(out), 0);
    return (size_t)(number(w->first + 6, 3) + 1) * (number(w->first + 9, 3) + 1);
}

static void webp_repeats_for_ever_at_its_rate(void** state) {
    (void)state;
    limberi_arena arena = {0};
    make("loop.glb --no-ground --fps 6 -o out.webp --size 63x47");
    webp w = read_webp(read_whole("out.webp", &arena));
    assert_int_equal(w.width, 63);
    assert_int_equal(w.height, 47);
    assert_int_equal(w.frames, 6);
    assert_in_range(w.duration_ms, 998, 1002);
    assert_int_equal(w.loops, 0);
    limberi_arena_free(&arena);
}

// --- pixels ---

// One frame of a file as width * height RGBA pixels.
static const uint8_t* pixels(const char* path, unsigned frame, size_t size, limberi_arena* arena) {
    char command[512];
    snprintf(command, sizeof command,
             "ffmpeg -v error -y -i %s -vf \"select=eq(n\\,%u),scale=in_range=auto:in_color_matrix=auto\" -frames:v 1 "
             "-f rawvideo -pix_fmt rgba p.raw 2>&1",
             path, frame);
    answer a = test_shell(command);
    if (a.status)
        fail_msg("%s: %s", command, a.text);
    limberi_bytes bytes = read_whole("p.raw", arena);
    assert_int_equal(bytes.size, 4 * size);
    return bytes.data;
}

// Mean difference of colours, 0 ... 255.
static double difference(const uint8_t* a, const uint8_t* b, size_t size) {
    double sum = 0;
    for (size_t i = 0; i < size; i++)
        for (size_t c = 0; c < 3; c++)
            sum += abs(a[4 * i + c] - b[4 * i + c]);
    return sum / (3.0 * (double)size);
}

static void films_show_what_stills_show(void** state) {
    (void)state;
    static const char* const films[3] = {"out.mp4", "out.gif", "out.webp"};
    enum { SIZE = 96 * 72 };
    limberi_arena arena = {0};
    make("turn.glb --fps 3 -o a.png --size 96x72 --frame 0");
    make("turn.glb --fps 3 -o b.png --size 96x72 --frame 3");
    const uint8_t* first = pixels("a.png", 0, SIZE, &arena);
    const uint8_t* last = pixels("b.png", 0, SIZE, &arena);
    for (int i = 0; i < 3; i++) {
        char arguments[128];
        snprintf(arguments, sizeof arguments, "turn.glb --fps 3 -o %s --size 96x72", films[i]);
        make(arguments);
        if (i == 2) {
            webp w = read_webp(read_whole("out.webp", &arena));
            assert_int_equal(save_first(&w), SIZE);
        }
        const uint8_t* film_first = pixels(i == 2 ? "still.webp" : films[i], 0, SIZE, &arena);
        double right = difference(film_first, first, SIZE), wrong = difference(film_first, last, SIZE);
        if (right > 3.0 || wrong < 2 * right || wrong < 3.0)
            fail_msg("%s: its first frame is %g from the first still and %g from the last", films[i], right, wrong);
        if (i < 2 && difference(pixels(films[i], 3, SIZE, &arena), last, SIZE) > 3.0)
            fail_msg("%s: its last frame is not the last still", films[i]);
    }
    limberi_arena_free(&arena);
}

static void count_alpha(const uint8_t* p, size_t size, size_t* clear, size_t* half, size_t* solid) {
    *clear = *half = *solid = 0;
    for (size_t i = 0; i < size; i++)
        (*(p[4 * i + 3] == 0 ? clear : p[4 * i + 3] == 255 ? solid : half))++;
}

static void transparent_films_keep_alpha(void** state) {
    (void)state;
    enum { SIZE = 96 * 72 };
    size_t clear, half, solid;
    limberi_arena arena = {0};
    make("turn.glb --fps 6 -o out.gif --size 96x72 --transparent --range 0:0.4");
    for (unsigned frame = 0; frame < 3; frame++) {
        count_alpha(pixels("out.gif", frame, SIZE, &arena), SIZE, &clear, &half, &solid);
        assert_true(clear > SIZE / 2 && solid > SIZE / 50 && half == 0);
    }
    make("turn.glb --fps 6 -o out.webp --size 96x72 --transparent --range 0:0.4");
    webp w = read_webp(read_whole("out.webp", &arena));
    assert_int_equal(w.frames, 3);
    assert_true(w.alpha);
    size_t size = save_first(&w);
    count_alpha(pixels("still.webp", 0, size, &arena), size, &clear, &half, &solid);
    assert_true(clear + SIZE - size > SIZE / 4 && solid > SIZE / 50 && half > SIZE / 50); // shadows are half there
    limberi_arena_free(&arena);
}

// Lines reach far behind the ball, and nothing of them may be cut off at the border of the picture.
static void smears_stay_in_the_picture(void** state) {
    (void)state;
    enum { SIDE = 64, FRAMES = 7 };
    limberi_arena arena = {0};
    char command[512];
    snprintf(command, sizeof command, "\"%s\" sample ball -o ball.glb", test_program());
    assert_int_equal(test_shell(command).status, 0);
    make("ball.glb -o out.gif --clip dash-stop --yaw 90 --pitch 0 --range 0.9:1.1 --size 64x64 --transparent "
         "--set smear.lines.count=200 --set smear.lines.length='20 * min(offset, 0)' --set smear.lines.fade=0");
    expect_film("out.gif", FRAMES, SIDE, SIDE, NULL);
    size_t seen = 0;
    for (unsigned frame = 0; frame < FRAMES; frame++) {
        const uint8_t* p = pixels("out.gif", frame, SIDE * SIDE, &arena);
        for (size_t i = 0; i < SIDE * SIDE; i++) {
            bool border = i % SIDE == 0 || i % SIDE == SIDE - 1 || i < SIDE || i >= SIDE * (SIDE - 1);
            seen += p[4 * i + 3] > 0;
            if (border && p[4 * i + 3])
                fail_msg("frame %u touches the border", frame);
        }
    }
    assert_true(seen > 0);
    limberi_arena_free(&arena);
}

static void a_pose_before_the_motion_is_not_filmed(void** state) {
    (void)state;
    char arguments[512];
    if (!test_assets())
        skip();
    // 1.233 s, the last frame at the very end; the first is the pose.
    snprintf(arguments, sizeof arguments, "\"%s/cmu_09_01.bvh\" -o out.mp4 --size 32x32 --fps 10 --no-ground",
             test_assets());
    make(arguments);
    expect_film("out.mp4", 14 - 1, 32, 32, "10/1");
}

// --- what can go wrong ---

static void wrong_command_lines_end_with_2(void** state) {
    (void)state;
    expect_failure("", "turn.glb -o out.mp4 --sheet 3", 2, "--sheet");
    expect_failure("", "turn.glb -o out.gif --frame 3", 2, "--frame");
    expect_failure("", "turn.glb -o out.webp --time 0.5", 2, "--time");
    expect_failure("", "turn.glb -o out.mp4 --transparent", 2, "transparent");
    expect_failure("", "turn.glb -o out.gif --loops 2", 2, "--loops");
    expect_failure("", "turn.glb -o out.png --loops 2", 2, "--loops");
    expect_failure("", "turn.glb -o out.mp4 --loops 0", 2, "--loops");
    expect_failure("", "turn.glb -o out.mp4 --loops 1001", 2, "--loops");
    expect_failure("", "turn.glb -o out.gif --fps 60", 2, "50");
    expect_failure("", "turn.glb -o out.mp4 --size 0x0", 2, "--size");
    expect_failure("", "turn.glb -o out.avi", 2, ".mp4");
}

static void places_that_cannot_be_written_are_named(void** state) {
    (void)state;
    expect_failure("", "turn.glb -o no/such/folder/out.mp4", 1, "no/such/folder/out.mp4");
    assert_int_equal(mkdir("fake.mp4", 0777), 0);
    expect_failure("", "turn.glb -o fake.mp4", 1, "folder");
    assert_int_equal(rmdir("fake.mp4"), 0);
    // Known before the character is even looked at.
    expect_failure("", "nothing.glb -o no/such/folder/out.gif", 1, "no/such/folder/out.gif");
}

static void missing_ffmpeg_is_named(void** state) {
    (void)state;
    expect_failure("PATH=/nonexistent", "turn.glb -o out.mp4", 1, "apt install ffmpeg");
    expect_failure("PATH=", "turn.glb -o out.gif", 1, "apt install ffmpeg");
}

static void missing_graphics_driver_is_named(void** state) {
    (void)state;
    expect_failure("__EGL_VENDOR_LIBRARY_FILENAMES=/nonexistent.json", "turn.glb -o out.mp4", 1, "install");
}

// Puts a program called ffmpeg before the real one; the last of its arguments is where to write.
static void fake_ffmpeg(const char* script) {
    mkdir("fake", 0777);
    FILE* out = fopen("fake/ffmpeg", "w");
    assert_non_null(out);
    fprintf(out, "#!/bin/sh\nfor output; do :; done\noutput=${output#file:}\n%s\n", script);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(chmod("fake/ffmpeg", 0777), 0);
}

static void broken_ffmpeg_leaves_nothing(void** state) {
    (void)state;
    const char *prefix = "PATH=\"$PWD/fake:$PATH\"", *film = "turn.glb --no-ground --fps 3 -o out.mp4 --size 96x72";
    fake_ffmpeg("echo half > \"$output\"\nhead -c 30000 > /dev/null\nkill -9 $$");
    expect_failure(prefix, film, 1, "signal 9");
    fake_ffmpeg("head -c 50000 > /dev/null\necho first >&2\necho 'the disk is on fire' >&2\nexit 1");
    expect_failure(prefix, film, 1, "out.mp4: ffmpeg failed: the disk is on fire");
    fake_ffmpeg("echo half > \"$output\"\nexit 0");
    expect_failure(prefix, film, 1, "before the film was complete");
    fake_ffmpeg("cat > /dev/null");
    expect_failure(prefix, film, 1, "nothing");
    fake_ffmpeg("cat > /dev/null\nexit 7");
    expect_failure(prefix, film, 1, "status 7");
    // More complaints than a pipe holds, before the first frame is read.
    fake_ffmpeg("yes complaint | head -c 500000 >&2\ncat > /dev/null\nexit 1");
    expect_failure(prefix, film, 1, "ffmpeg failed: complaint");
    // And one that works.
    fake_ffmpeg("cat > \"$output\"");
    assert_int_equal(test_limber(prefix, "render", film).status, 0);
    struct stat status;
    assert_int_equal(stat("out.mp4", &status), 0);
    assert_int_equal(status.st_size, 4 * 96 * 72 * 4);
}

static bool wait_for_file(const char* path) {
    const struct timespec moment = {0, 20000000};
    for (int i = 0; i < 15000; i++) { // five minutes
        if (access(path, F_OK) == 0)
            return true;
        nanosleep(&moment, NULL);
    }
    return false;
}

static pid_t start_film(void) {
    pid_t process = fork();
    if (process == 0) {
        char path[4096];
        snprintf(path, sizeof path, "fake:%s", getenv("PATH"));
        setenv("PATH", path, 1);
        const char* program = test_program();
        execl(program, program, "render", "turn.glb", "-o", "out.mp4", "--size", "96x72", (char*)NULL);
        _exit(127);
    }
    return process;
}

// An ffmpeg that sleeps instead of reading, while limber waits for it.
static void interrupted_limber_leaves_nothing(void** state) {
    (void)state;
    static const int signals[3] = {SIGTERM, SIGINT, SIGHUP};
    fake_ffmpeg("echo half > \"$output\"\necho $$ > fake/number.new\nmv fake/number.new fake/number\nexec sleep 600");
    for (int i = 0; i < 3; i++) {
        FILE* old = fopen("out.mp4", "w");
        assert_non_null(old);
        fputs("the film before", old);
        fclose(old);
        unlink("fake/number");
        pid_t process = start_film();
        assert_true(wait_for_file("fake/number"));
        FILE* stream = fopen("fake/number", "r");
        long child = 0;
        assert_non_null(stream);
        assert_int_equal(fscanf(stream, "%ld", &child), 1);
        fclose(stream);
        assert_int_equal(count_files("out.mp4*"), 2);
        assert_int_equal(kill(process, signals[i]), 0);
        int status;
        assert_int_equal(waitpid(process, &status, 0), process);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == signals[i]);
        assert_int_equal(count_files("out.*"), 1);
        assert_int_equal(test_shell("grep -q 'the film before' out.mp4").status, 0);
        assert_true(kill((pid_t)child, 0) != 0 && errno == ESRCH);
    }
}

#define FILM_TEST(name) cmocka_unit_test_teardown(name, remove_films)

int main(void) {
    const struct CMUnitTest tests[] = {
        FILM_TEST(mp4_shows_a_loop_for_two_seconds_and_other_clips_once),
        FILM_TEST(rates_are_exact),
        FILM_TEST(fast_clips_lose_every_second_frame),
        FILM_TEST(sides_of_mp4_are_even),
        FILM_TEST(gif_repeats_for_ever_without_its_last_frame),
        FILM_TEST(webp_repeats_for_ever_at_its_rate),
        FILM_TEST(films_show_what_stills_show),
        FILM_TEST(transparent_films_keep_alpha),
        FILM_TEST(smears_stay_in_the_picture),
        FILM_TEST(a_pose_before_the_motion_is_not_filmed),
        FILM_TEST(wrong_command_lines_end_with_2),
        FILM_TEST(places_that_cannot_be_written_are_named),
        FILM_TEST(missing_ffmpeg_is_named),
        FILM_TEST(missing_graphics_driver_is_named),
        FILM_TEST(broken_ffmpeg_leaves_nothing),
        FILM_TEST(interrupted_limber_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, make_tubes, remove_tubes);
}
