import type { Browser } from 'playwright-core'
import { debianChromium, isProgram, launchChromium } from '../../scripts/screenshots/chromium.ts'

/** The Chromium of browser tests: CHROMIUM, or that of Debian's package. */
const program = process.env.CHROMIUM ?? debianChromium

/** Only against a page that hangs: several times what the slowest takes on a busy machine. */
export const pageTimeoutMs = 120_000

/** Why there is none; false when there is one. For the `skip` of tests. */
export function absenceOfChromium(): string | false {
  return isProgram(program)
    ? false
    : `no Chromium at ${program}: install chromium or set CHROMIUM`
}

/**
 * Starts one without a window. The caller closes it. Its locale is UTF-8, as a desktop's is: in the C
 * locale it can neither read nor write files whose names are not ASCII.
 */
export function startChromium(): Promise<Browser> {
  return launchChromium(program, { ...process.env, LC_ALL: 'C.UTF-8' })
}
