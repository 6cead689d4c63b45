const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'] as const

/** A human-readable size: three significant digits and a binary unit. */
export function formatBytes(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 1023.5 && unit < units.length - 1) {
    value /= 1024
    unit += 1
  }
  if (unit === 0) return value === 1 ? '1 byte' : `${value} bytes`
  const digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0
  return `${value.toFixed(digits)} ${units[unit]}`
}

/** The exact size, for a tooltip beside `formatBytes`. */
export function formatExactBytes(bytes: number): string {
  return formatAmount(bytes, 'byte')
}

const counts = new Intl.NumberFormat('en')

export function formatCount(count: number): string {
  return counts.format(count)
}

/** "1 alias", "1,204 aliases". */
export function formatAmount(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`
}
