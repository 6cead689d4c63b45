import { SettingMistake } from './setting.ts'

/** Parsers of OpenTelemetry's settings. */

/** The address of an OTLP receiver. */
export function otlpAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:'
  if (!isHttp || /[?#\s]/.test(text)) {
    throw new SettingMistake('http://host:port or https://host:port, with a path if needed')
  }
  return text
}

/**
 * A header field as `name=value`, the value percent-encoded where needed (OpenTelemetry, "Specifying
 * headers via environment variables").
 */
export function headerPair(text: string): string {
  const { name, value } = pairOf(text)
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) || !/^[\t -~]*$/.test(value)) {
    throw new SettingMistake('name=value pairs of header fields, separated by commas')
  }
  return text
}

/** A resource attribute as `name=value`, the value percent-encoded where needed. */
export function attributePair(text: string): string {
  pairOf(text)
  return text
}

/** A pair that one of the two has accepted. */
export function pairOf(text: string): { readonly name: string; readonly value: string } {
  const equals = text.indexOf('=')
  const name = text.slice(0, equals).trim()
  try {
    if (equals > 0 && name !== '') {
      return { name, value: decodeURIComponent(text.slice(equals + 1).trim()) }
    }
  } catch {
    // A broken escape.
  }
  throw new SettingMistake('name=value pairs, separated by commas')
}

/** The share of traces to record. */
export function shareOf(text: string): number {
  const share = Number(text)
  if (!/^(?:\d+(?:\.\d+)?|\.\d+)$/.test(text) || share > 1)
    throw new SettingMistake('a number from 0 to 1')
  return share
}
