import { accessSync, constants } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** The Chromium of browser tests: CHROMIUM, or that of Debian's package. */
const program = process.env.CHROMIUM ?? '/usr/bin/chromium'

/** Why there is none; false when there is one. For the `skip` of tests. */
export function absenceOfChromium(): string | false {
  try {
    accessSync(program, constants.X_OK)
    return false
  } catch {
    return `no Chromium at ${program}: install chromium or set CHROMIUM`
  }
}

/** Starts one without a window. The caller closes it. */
export function startChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: program,
    // Its sandbox does not run as root, and containers often have a tiny /dev/shm.
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  })
}
