// Under sanitizers everything takes ten times as long: tests that go through many of a kind take fewer then.
#ifndef LIMBER_TEST_SANITIZED_H
#define LIMBER_TEST_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TEST_SANITIZED 1
#endif
#endif
#if !defined(TEST_SANITIZED)
#define TEST_SANITIZED 0
#endif

#endif
