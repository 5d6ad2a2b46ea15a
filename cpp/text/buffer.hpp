// A growing array for what the parsers read.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace novikoff {

// A few large blocks of memory that are no longer used, for the next pieces of text: the system fills fresh
// memory with zeros, page by page. Training on 428 MB of svmlight's text asks for 25,000 pages instead of 63,000.
class SpareMemory {
 public:
  static SpareMemory& of_process() {
    static constinit SpareMemory all;  // needs no destructor: arrays may outlive it
    return all;
  }

  // The smallest block of at least so many bytes, and of no more than four times as many; none if there is
  // none. `bytes` becomes its size.
  void* take(std::size_t& bytes) {
    if (bytes < smallest || is_used_.test_and_set(std::memory_order_acquire)) return nullptr;
    Block* best = nullptr;
    for (Block& block : blocks_)
      if (block.bytes >= bytes && block.bytes / 4 <= bytes && (!best || block.bytes < best->bytes))
        best = &block;
    void* const found = best ? std::exchange(best->data, nullptr) : nullptr;
    if (best) bytes = std::exchange(best->bytes, 0);
    is_used_.clear(std::memory_order_release);
    return found;
  }
  // Takes over a block that came from malloc, or frees it.
  void give(void* data, std::size_t bytes) {
    if (bytes >= smallest && bytes <= largest && !is_used_.test_and_set(std::memory_order_acquire)) {
      for (Block& block : blocks_)
        if (!block.data) {
          block = {std::exchange(data, nullptr), bytes};
          break;
        }
      is_used_.clear(std::memory_order_release);
    }
    std::free(data);
  }

 private:
  static constexpr std::size_t smallest = 1 << 18, largest = 1 << 24, most = 8;
  struct Block {
    void* data = nullptr;
    std::size_t bytes = 0;
  };
  std::atomic_flag is_used_;  // by a thread; another does not wait: malloc has memory, too
  Block blocks_[most];
};

// A growing array that is not initialised and can be handed to NumPy. `add` needs room made before.
template <class T>
struct Buffer {
  T* data = nullptr;
  std::size_t size = 0, room = 0;

  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { SpareMemory::of_process().give(data, room * sizeof(T)); }

  void reserve(std::size_t wanted) {
    if (wanted <= room) return;
    std::size_t bytes = wanted * sizeof(T);
    if (void* const spare = data ? nullptr : SpareMemory::of_process().take(bytes)) {
      data = static_cast<T*>(spare);
      room = bytes / sizeof(T);
      return;
    }
    void* const more = std::realloc(data, wanted * sizeof(T));
    if (!more) throw std::bad_alloc();
    data = static_cast<T*>(more);
    room = wanted;
  }
  void make_room(std::size_t some) {
    if (size + some > room) reserve(std::max(size + some, 2 * room));
  }
  void add(T item) { data[size++] = item; }
  void push(T item) {
    make_room(1);
    add(item);
  }
  void swap(Buffer& other) {
    std::swap(data, other.data);
    std::swap(size, other.size);
    std::swap(room, other.room);
  }
  T* release() {
    T* const given = data;
    data = nullptr;
    size = room = 0;
    return given;
  }
};

}  // namespace novikoff
