/** `YYYY-MM-DD` in the time zone of the browser, the format of date fields; '' for never. */
export function dayOf(moment: string | null): string {
  if (moment === null) return ''
  const date = new Date(moment)
  const part = (value: number) => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${part(date.getMonth() + 1)}-${part(date.getDate())}`
}

/** The last second of a day in the time zone of the browser; null for ''. */
export function endOfDay(day: string): string | null {
  return day === '' ? null : new Date(`${day}T23:59:59`).toISOString()
}
