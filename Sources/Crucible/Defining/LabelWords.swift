import CCrucible

extension String {
  #if CRUCIBLE_PUBLIC_RUNTIME || !(_pointerBitWidth(_64) && _endian(little))
    /// The bytes of a short text, padded with zeros, as the core compares labels. Nil if the text is longer.
    var smallWords: crucible_label? {
      var text = self
      return text.withUTF8 { bytes in
        if bytes.count >= MemoryLayout<crucible_label>.size { return nil }
        var words = crucible_label()
        withUnsafeMutableBytes(of: &words) { $0.copyMemory(from: UnsafeRawBufferPointer(bytes)) }
        return words
      }
    }
  #else
    /// The bytes of a short text, padded with zeros, as the core compares labels. Nil if the text is stored elsewhere.
    ///
    /// Passing the text on as a C string takes more instructions than the comparison. So this reads the string's own
    /// two words. Those of a small string are its bytes, and the last byte shows that it is small. Package.swift names
    /// the toolchains for which this holds. `LabelTests` fails where it does not hold.
    @inline(__always)
    var smallWords: crucible_label? {
      let (low, high) = words
      let isSmall = high >> 61 & 1 == 1
      return isSmall ? crucible_label(low: low, high: high & 0x00FF_FFFF_FFFF_FFFF) : nil
    }
  #endif
}
