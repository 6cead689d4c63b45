import { accessSync, constants } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** The Chromium of browser tests: CHROMIUM, or that of Debian's package. */
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'

/** Only against a page that hangs: several times what the slowest takes on a busy machine. */
export const pageTimeoutMs = 120_000

/** For the `skip` of tests: why Chromium cannot be started, or false if it can. */
export function absenceOfChromium(): string | false {
  try {
    accessSync(executablePath, constants.X_OK)
    return false
  } catch {
    return `no Chromium at ${executablePath}: install chromium or set CHROMIUM`
  }
}

/**
 * Starts a headless browser, which the caller closes. Its locale is UTF-8, as on a desktop: in the C
 * locale it can neither read nor write files with names that are not ASCII.
 */
export function startChromium(): Promise<Browser> {
  return chromium.launch({ executablePath, env: { ...process.env, LC_ALL: 'C.UTF-8' } })
}
