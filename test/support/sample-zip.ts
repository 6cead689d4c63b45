import { crc32 } from 'node:zlib'

/** A ZIP with a file of each name: "content", stored (APPNOTE.TXT, section 4.3). */
export function sampleZip(names: readonly string[]): Buffer<ArrayBuffer> {
  const content = Buffer.from('content')
  const files: Buffer[] = []
  const directory: Buffer[] = []
  let place = 0
  for (const name of names) {
    const bytes = Buffer.from(name)
    // From "version needed" to "extra field length", which both records have.
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(((2026 - 1980) << 9) | (11 << 5) | 26, 8)
    common.writeUInt32LE(crc32(content), 10)
    common.writeUInt32LE(content.length, 14)
    common.writeUInt32LE(content.length, 18)
    common.writeUInt16LE(bytes.length, 22)
    const file = Buffer.concat([signed('PK\u0003\u0004'), common, bytes, content])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(place, 10)
    directory.push(signed('PK\u0001\u0002\u0014\u0000'), common, rest, bytes)
    files.push(file)
    place += file.length
  }
  const list = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(names.length, 4)
  end.writeUInt16LE(names.length, 6)
  end.writeUInt32LE(list.length, 8)
  end.writeUInt32LE(place, 12)
  return Buffer.concat([...files, list, signed('PK\u0005\u0006'), end])
}

const signed = (signature: string) => Buffer.from(signature, 'latin1')
