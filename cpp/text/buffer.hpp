// A growing array for what the parsers read.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace novikoff {

// A growing array that is not initialised and can be handed to NumPy. `add` needs room made before.
template <class T>
struct Buffer {
  T* data = nullptr;
  std::size_t size = 0, room = 0;

  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { std::free(data); }

  void reserve(std::size_t wanted) {
    if (wanted <= room) return;
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
