/**
 * The fields of a protobuf message by their numbers, without a schema
 * (https://protobuf.dev/programming-guides/encoding/): a varint is a number, all else is bytes.
 */
export type ProtobufFields = ReadonlyMap<number, readonly (number | Buffer)[]>

export function fieldsOf(message: Buffer): ProtobufFields {
  const fields = new Map<number, (number | Buffer)[]>()
  let at = 0
  const varint = (): number => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = message[at++] ?? 0
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return Number(BigInt.asIntN(64, value))
    }
  }
  const bytes = (length: number): Buffer => {
    at += length
    return message.subarray(at - length, at)
  }
  while (at < message.length) {
    const tag = varint()
    const number = tag >>> 3
    const values = fields.get(number) ?? []
    fields.set(number, values)
    const type = tag & 7
    if (type === 0) values.push(varint())
    else if (type === 1) values.push(bytes(8))
    else if (type === 2) values.push(bytes(varint()))
    else if (type === 5) values.push(bytes(4))
    else throw new Error(`wire type ${type} in a protobuf message`)
  }
  return fields
}

export function textOf(fields: ProtobufFields, number: number): string {
  return fields.get(number)?.[0]?.toString() ?? ''
}

/** 0 if absent, as in protobuf. */
export function integerOf(fields: ProtobufFields, number: number): number {
  return Number(fields.get(number)?.[0] ?? 0)
}
