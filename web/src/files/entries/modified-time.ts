const moments = new Intl.DateTimeFormat('en-GB', {
  day: '2-digit',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
})

/** A short time of constant width, for a column; '' if there is none. */
export function formatModified(atMs: number): string {
  return Number.isFinite(atMs) ? moments.format(atMs) : ''
}
