// A Vulkan device that runs one compute shader of limber over two textures and five buffers.
#include "tests/web/vulkan_device.h"

#include <stdio.h>
#include <string.h>

static bool is(VkResult result, const char* what) {
    if (result != VK_SUCCESS)
        fprintf(stderr, "vulkan: %s: %d\n", what, (int)result);
    return result == VK_SUCCESS;
}

// --- device ---

static bool open_instance(vulkan_device* v) {
    VkApplicationInfo about = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &about};
    uint32_t count = 1;
    if (vkCreateInstance(&info, NULL, &v->instance) != VK_SUCCESS)
        return false;
    VkResult result = vkEnumeratePhysicalDevices(v->instance, &count, &v->physical);
    if ((result != VK_SUCCESS && result != VK_INCOMPLETE) || count == 0)
        return false;
    vkGetPhysicalDeviceProperties(v->physical, &v->properties);
    return true;
}

static bool open_queue(vulkan_device* v) {
    VkQueueFamilyProperties families[16];
    uint32_t count = 16;
    vkGetPhysicalDeviceQueueFamilyProperties(v->physical, &count, families);
    for (v->family = 0; v->family < count && !(families[v->family].queueFlags & VK_QUEUE_COMPUTE_BIT);)
        v->family++;
    if (v->family == count)
        return false;
    const float priority = 1;
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                     .queueFamilyIndex = v->family,
                                     .queueCount = 1,
                                     .pQueuePriorities = &priority};
    VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue};
    if (!is(vkCreateDevice(v->physical, &info, NULL, &v->device), "device"))
        return false;
    vkGetDeviceQueue(v->device, v->family, 0, &v->queue);
    return true;
}

static bool open_commands(vulkan_device* v) {
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                    .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                    .queueFamilyIndex = v->family};
    if (!is(vkCreateCommandPool(v->device, &pool, NULL, &v->pool), "command pool"))
        return false;
    VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                        .commandPool = v->pool,
                                        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                        .commandBufferCount = 1};
    VkSamplerCreateInfo sampler = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
    return is(vkAllocateCommandBuffers(v->device, &info, &v->commands), "commands") &&
           is(vkCreateSampler(v->device, &sampler, NULL, &v->sampler), "sampler");
}

bool vulkan_open(vulkan_device* v) {
    memset(v, 0, sizeof *v);
    return open_instance(v) && open_queue(v) && open_commands(v);
}

static VkDescriptorType type_of(uint32_t binding) {
    return binding < BIND_SAMPLER    ? VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE
           : binding == BIND_SAMPLER ? VK_DESCRIPTOR_TYPE_SAMPLER
           : binding == BIND_FRAME   ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER
                                     : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
}

static bool make_layout(vulkan_device* v) {
    VkDescriptorSetLayoutBinding bindings[BIND_COUNT];
    VkDescriptorPoolSize sizes[BIND_COUNT];
    memset(bindings, 0, sizeof bindings);
    for (uint32_t i = 0; i < BIND_COUNT; i++) {
        bindings[i].binding = i;
        bindings[i].descriptorType = sizes[i].type = type_of(i);
        bindings[i].descriptorCount = sizes[i].descriptorCount = 1;
        bindings[i].stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
    }
    VkDescriptorSetLayoutCreateInfo set = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                           .bindingCount = BIND_COUNT,
                                           .pBindings = bindings};
    VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                       .maxSets = 1,
                                       .poolSizeCount = BIND_COUNT,
                                       .pPoolSizes = sizes};
    VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1};
    if (!is(vkCreateDescriptorSetLayout(v->device, &set, NULL, &v->set_layout), "set layout"))
        return false;
    layout.pSetLayouts = &v->set_layout;
    return is(vkCreateDescriptorPool(v->device, &pool, NULL, &v->set_pool), "set pool") &&
           is(vkCreatePipelineLayout(v->device, &layout, NULL, &v->layout), "layout");
}

bool vulkan_load(vulkan_device* v, const uint32_t* words, size_t bytes) {
    VkShaderModuleCreateInfo code = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = bytes, .pCode = words};
    VkShaderModule module;
    if (!make_layout(v) || !is(vkCreateShaderModule(v->device, &code, NULL, &module), "shader"))
        return false;
    VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                  .module = module,
                                                  .pName = "main"},
                                        .layout = v->layout};
    bool done = is(vkCreateComputePipelines(v->device, VK_NULL_HANDLE, 1, &info, NULL, &v->pipeline), "pipeline");
    vkDestroyShaderModule(v->device, module, NULL);
    return done;
}

void vulkan_close(vulkan_device* v) {
    if (v->device) {
        vkDestroyPipeline(v->device, v->pipeline, NULL);
        vkDestroyPipelineLayout(v->device, v->layout, NULL);
        vkDestroyDescriptorPool(v->device, v->set_pool, NULL);
        vkDestroyDescriptorSetLayout(v->device, v->set_layout, NULL);
        vkDestroySampler(v->device, v->sampler, NULL);
        vkDestroyCommandPool(v->device, v->pool, NULL);
        vkDestroyDevice(v->device, NULL);
    }
    if (v->instance)
        vkDestroyInstance(v->instance, NULL);
}

// --- memory ---

static bool take(vulkan_device* v, const VkMemoryRequirements* needs, vulkan_memory* out) {
    const VkMemoryPropertyFlags shared = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    VkPhysicalDeviceMemoryProperties there;
    vkGetPhysicalDeviceMemoryProperties(v->physical, &there);
    uint32_t type = 0;
    while (type < there.memoryTypeCount &&
           !((needs->memoryTypeBits >> type & 1) && (there.memoryTypes[type].propertyFlags & shared) == shared))
        type++;
    VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs->size, .memoryTypeIndex = type};
    out->size = (size_t)needs->size;
    return type < there.memoryTypeCount && is(vkAllocateMemory(v->device, &info, NULL, &out->memory), "memory") &&
           is(vkMapMemory(v->device, out->memory, 0, VK_WHOLE_SIZE, 0, (void**)&out->bytes), "map");
}

bool vulkan_make_buffer(vulkan_device* v, size_t bytes, VkBufferUsageFlags usage, vulkan_memory* out) {
    VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = bytes < 16 ? 16 : bytes, .usage = usage};
    VkMemoryRequirements needs;
    memset(out, 0, sizeof *out);
    if (!is(vkCreateBuffer(v->device, &info, NULL, &out->buffer), "buffer"))
        return false;
    vkGetBufferMemoryRequirements(v->device, out->buffer, &needs);
    return take(v, &needs, out) && is(vkBindBufferMemory(v->device, out->buffer, out->memory, 0), "bind");
}

static bool make_view(vulkan_device* v, vulkan_memory* m) {
    VkImageSubresource first = {.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT};
    VkSubresourceLayout rows;
    vkGetImageSubresourceLayout(v->device, m->image, &first, &rows);
    m->row_bytes = (size_t)rows.rowPitch;
    VkImageViewCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = m->image,
        .viewType = VK_IMAGE_VIEW_TYPE_2D,
        .format = VK_FORMAT_R32G32B32A32_SFLOAT,
        .subresourceRange = {.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT, .levelCount = 1, .layerCount = 1}};
    return is(vkCreateImageView(v->device, &info, NULL, &m->view), "view");
}

bool vulkan_make_texture(vulkan_device* v, uint32_t width, uint32_t height, vulkan_memory* out) {
    VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                              .imageType = VK_IMAGE_TYPE_2D,
                              .format = VK_FORMAT_R32G32B32A32_SFLOAT,
                              .extent = {width, height, 1},
                              .mipLevels = 1,
                              .arrayLayers = 1,
                              .samples = VK_SAMPLE_COUNT_1_BIT,
                              .tiling = VK_IMAGE_TILING_LINEAR,
                              .usage = VK_IMAGE_USAGE_SAMPLED_BIT,
                              .initialLayout = VK_IMAGE_LAYOUT_PREINITIALIZED};
    VkMemoryRequirements needs;
    memset(out, 0, sizeof *out);
    out->layout = VK_IMAGE_LAYOUT_PREINITIALIZED;
    if (!is(vkCreateImage(v->device, &info, NULL, &out->image), "image"))
        return false;
    vkGetImageMemoryRequirements(v->device, out->image, &needs);
    return take(v, &needs, out) && is(vkBindImageMemory(v->device, out->image, out->memory, 0), "bind") &&
           make_view(v, out);
}

void vulkan_drop(vulkan_device* v, vulkan_memory* m) {
    vkDestroyImageView(v->device, m->view, NULL);
    vkDestroyImage(v->device, m->image, NULL);
    vkDestroyBuffer(v->device, m->buffer, NULL);
    vkFreeMemory(v->device, m->memory, NULL);
    memset(m, 0, sizeof *m);
}

// --- a run ---

static bool bind(vulkan_device* v, const vulkan_memory* all, VkDescriptorSet* set) {
    VkDescriptorSetAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                        .descriptorPool = v->set_pool,
                                        .descriptorSetCount = 1,
                                        .pSetLayouts = &v->set_layout};
    if (!is(vkResetDescriptorPool(v->device, v->set_pool, 0), "reset") ||
        !is(vkAllocateDescriptorSets(v->device, &info, set), "set"))
        return false;
    for (uint32_t i = 0; i < BIND_COUNT; i++) {
        VkDescriptorImageInfo image = {v->sampler, all[i].view, VK_IMAGE_LAYOUT_GENERAL};
        VkDescriptorBufferInfo buffer = {all[i].buffer, 0, VK_WHOLE_SIZE};
        VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                      .dstSet = *set,
                                      .dstBinding = i,
                                      .descriptorCount = 1,
                                      .descriptorType = type_of(i),
                                      .pImageInfo = &image,
                                      .pBufferInfo = &buffer};
        vkUpdateDescriptorSets(v->device, 1, &write, 0, NULL);
    }
    return true;
}

// A texture that the CPU has written.
static void show_texture(vulkan_device* v, vulkan_memory* m) {
    VkImageMemoryBarrier to = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_HOST_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_SHADER_READ_BIT,
        .oldLayout = m->layout,
        .newLayout = VK_IMAGE_LAYOUT_GENERAL,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = m->image,
        .subresourceRange = {.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT, .levelCount = 1, .layerCount = 1}};
    vkCmdPipelineBarrier(v->commands, VK_PIPELINE_STAGE_HOST_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 0, NULL, 0,
                         NULL, 1, &to);
    m->layout = VK_IMAGE_LAYOUT_GENERAL;
}

static void hand_back(vulkan_device* v) {
    VkMemoryBarrier result = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                              .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                              .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    vkCmdPipelineBarrier(v->commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &result,
                         0, NULL, 0, NULL);
}

bool vulkan_run(vulkan_device* v, vulkan_memory* all, uint32_t groups) {
    VkDescriptorSet set;
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    if (!bind(v, all, &set) || !is(vkBeginCommandBuffer(v->commands, &begin), "begin"))
        return false;
    show_texture(v, &all[BIND_TEXTURE]);
    show_texture(v, &all[BIND_OBEYED]);
    vkCmdBindPipeline(v->commands, VK_PIPELINE_BIND_POINT_COMPUTE, v->pipeline);
    vkCmdBindDescriptorSets(v->commands, VK_PIPELINE_BIND_POINT_COMPUTE, v->layout, 0, 1, &set, 0, NULL);
    vkCmdDispatch(v->commands, groups, 1, 1);
    hand_back(v);
    VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &v->commands};
    return is(vkEndCommandBuffer(v->commands), "end") && is(vkQueueSubmit(v->queue, 1, &submit, NULL), "submit") &&
           is(vkQueueWaitIdle(v->queue), "wait");
}
