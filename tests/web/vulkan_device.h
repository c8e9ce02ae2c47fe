// The least of Vulkan that runs one compute shader of limber: two textures, a block of integers, five buffers.
#ifndef LIMBER_TEST_VULKAN_DEVICE_H
#define LIMBER_TEST_VULKAN_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <vulkan/vulkan.h>

// By their bindings, as docs/engines.md has them.
enum { BIND_TEXTURE, BIND_OBEYED, BIND_SAMPLER, BIND_FRAME, BIND_POSITIONS, BIND_RESULT = 8, BIND_COUNT };

typedef struct vulkan_device {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkPhysicalDeviceProperties properties;
    VkDevice device;
    uint32_t family;
    VkQueue queue;
    VkCommandPool pool;
    VkCommandBuffer commands;
    VkSampler sampler;
    VkDescriptorSetLayout set_layout;
    VkDescriptorPool set_pool;
    VkPipelineLayout layout;
    VkPipeline pipeline;
} vulkan_device;

// Memory that both sides see. `image` only where it is a texture.
typedef struct vulkan_memory {
    VkDeviceMemory memory;
    VkBuffer buffer;
    VkImage image;
    VkImageView view;
    VkImageLayout layout;
    uint8_t* bytes;
    size_t size;
    size_t row_bytes; // of a texture
} vulkan_memory;

// False: there is no driver; the reason is printed.
bool vulkan_open(vulkan_device* v);
bool vulkan_load(vulkan_device* v, const uint32_t* words, size_t bytes);
void vulkan_close(vulkan_device* v);

bool vulkan_make_buffer(vulkan_device* v, size_t bytes, VkBufferUsageFlags usage, vulkan_memory* out);
// RGBA32F.
bool vulkan_make_texture(vulkan_device* v, uint32_t width, uint32_t height, vulkan_memory* out);
void vulkan_drop(vulkan_device* v, vulkan_memory* m);

// `all` by bindings; that of the sampler is not used.
bool vulkan_run(vulkan_device* v, vulkan_memory* all, uint32_t groups);

#endif
