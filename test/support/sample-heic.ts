/** HEIC files, red at the left and blue at the right, by libheif and x265: nothing in Node or in a browser writes them. */

/** 640 × 320 pixels, with a thumbnail of 240 × 120. */
export function heicWithThumbnail(): Buffer<ArrayBuffer> {
  return Buffer.from(
    'AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAiptZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAADRpbG9jAAAAAERAAAIAAQAAAAACTgABAAAAAAAAAGwAAgAAAAACugABAAAAAAAAAE8AAAA4aWluZgAAAAAAAgAAABVpbmZlAgAAAAABAABodmMxAAAAABVpbmZlAgAAAAACAABodmMxAAAAAA5waXRtAAAAAAABAAABaWlwcnAAAAFEaXBjbwAAAHlodmNDAQNwAAAAkAAAAAAAP/AA/P34+AAADwNgAAEAGEABDAH//wNwAAADAJAAAAMAAAMAP7oCQGEAAQAsQgEBA3AAAAMAkAAAAwAAAwA/oAUCAUFlupJKa5uAhoMCAAADADIAAAMAAhBiAAEAB0QBwXKwYkAAAAATY29scm5jbHgAAQANAAaAAAAAFGlzcGUAAAAAAAACgAAAAUAAAAAQcGl4aQAAAAADCAgIAAAAeGh2Y0MBA3AAAACQAAAAAAAe8AD8/fj4AAAPA2AAAQAYQAEMAf//A3AAAAMAkAAAAwAAAwAeugJAYQABACtCAQEDcAAAAwCQAAADAAADAB6gHiB5ZbqSSmubgIaDAgAAAwAyAAADAAIQYgABAAdEAcFysGJAAAAAFGlzcGUAAAAAAAAA8AAAAHgAAAAdaXBtYQAAAAAAAAACAAEEgQIDBAACA4UGBAAAABppcmVmAAAAAAAAAA50aG1iAAIAAQABAAAAw21kYXQAAABoKAGvGSmrPLLg93yFN//4oYf+a1r/r8FeKz/LGyjzqAcIcW///5eJO/Ej0/628XAAAAMAAoqmtzqAeoVpBGqJAAADALyAkwWo4AAHylkAAA14hwAAAwAHyZIAAH5AAAADAAEwRMAAPeAAAABLKAGvGUbC93yFN//4oYf+a1r/r8FeJ7rQ30eKmQhVz/5tTsrE+zzwoRq55jdTfK9/GcJAYwAE1LAAAAMAAAMDaMQAFvonAABtAA9o',
    'base64',
  )
}

/** 300 × 150 pixels, without a thumbnail. */
export function plainHeic(): Buffer<ArrayBuffer> {
  return Buffer.from(
    'AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAVdtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAACJpbG9jAAAAAERAAAEAAQAAAAABewABAAAAAAAAAGIAAAAjaWluZgAAAAAAAQAAABVpbmZlAgAAAAABAABodmMxAAAAAA5waXRtAAAAAAABAAAA12lwcnAAAAC4aXBjbwAAAHlodmNDAQNwAAAAkAAAAAAAPPAA/P34+AAADwNgAAEAGEABDAH//wNwAAADAJAAAAMAAAMAPLoCQGEAAQAsQgEBA3AAAAMAkAAAAwAAAwA8oAmICZ3WW6kkprm4CGgwIAAAAwMgAAADACFiAAEAB0QBwXKwYkAAAAATY29scm5jbHgAAQANAAaAAAAAFGlzcGUAAAAAAAABLAAAAJYAAAAQcGl4aQAAAAADCAgIAAAAF2lwbWEAAAAAAAAAAQABBIECAwQAAABqbWRhdAAAAF4oAa8ZZtzI93yFN//4oYf+a1r/r8FeKz/LFb1PrX4BaK8G98jQgRwKQ6CWa+b8qSvvmNx3VLk0bi0kUAH6ARemtzqAYtmEjGA4wMmAkwAAAwAF4AABfarAAAADAAIe',
    'base64',
  )
}

/** A HEIC file of 300 × 150 pixels: an overlay whose own data say that it is a square of this side. */
export function overlayHeic(side: number): Buffer<ArrayBuffer> {
  const plain = plainHeic()
  const form = plain.indexOf('hvcC') - 4
  const coded = plain.subarray(plain.indexOf('mdat') + 4)
  const square = Buffer.concat([
    number(2, 1),
    Buffer.alloc(8),
    number(4, side),
    number(4, side),
    Buffer.alloc(8),
  ])
  const links = [number(2, 1), Buffer.of(2, 0x81, 2), number(2, 2), Buffer.of(1, 2)]
  const metaOf = (at: number) =>
    box(
      'meta',
      number(4, 0),
      box('hdlr', Buffer.alloc(8), Buffer.from('pict'), Buffer.alloc(13)),
      box('pitm', number(4, 0), number(2, 2)),
      box('iinf', number(4, 0), number(2, 2), itemEntry(1, 'hvc1'), itemEntry(2, 'iovl')),
      box('iref', number(4, 0), box('dimg', number(2, 2), number(2, 1), number(2, 1))),
      box(
        'iprp',
        box(
          'ipco',
          plain.subarray(form, form + plain.readUInt32BE(form)),
          box('ispe', number(4, 0), number(4, 300), number(4, 150)),
        ),
        box('ipma', number(4, 0), number(4, 2), ...links),
      ),
      box(
        'iloc',
        ...[number(4, 0), Buffer.of(0x44, 0), number(2, 2)],
        ...[number(2, 1), number(2, 0), number(2, 1), number(4, at), number(4, coded.length)],
        ...[number(2, 2), number(2, 0), number(2, 1)],
        ...[number(4, at + coded.length), number(4, square.length)],
      ),
    )
  const head = box('ftyp', Buffer.from('heic'), number(4, 0), Buffer.from('mif1heic'))
  const at = head.length + metaOf(0).length + 8
  return Buffer.concat([head, metaOf(at), box('mdat', coded, square)])
}

/** The first item is hidden: it is only a part of the second one. */
function itemEntry(id: number, type: string): Buffer {
  const isHidden = type === 'hvc1' ? 1 : 0
  return box(
    'infe',
    Buffer.of(2, 0, 0, isHidden),
    number(2, id),
    number(2, 0),
    Buffer.from(`${type}\0`),
  )
}

function box(type: string, ...content: readonly Buffer[]): Buffer<ArrayBuffer> {
  const bytes = Buffer.concat([Buffer.alloc(8), ...content])
  bytes.writeUInt32BE(bytes.length, 0)
  bytes.write(type, 4)
  return bytes
}

function number(width: number, value: number): Buffer {
  const bytes = Buffer.alloc(width)
  bytes.writeUIntBE(value, 0, width)
  return bytes
}
