import { accessSync, constants } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** Where Debian's package puts it. */
export const debianChromium = '/usr/bin/chromium'

/** Whether there is a program that can be started. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/**
 * Starts one without a window. The caller closes it.
 *
 * @param environment of the program; this process's own when absent.
 */
export function launchChromium(
  program: string,
  environment?: Readonly<Record<string, string | undefined>>,
): Promise<Browser> {
  return chromium.launch({
    executablePath: program,
    ...(environment === undefined ? {} : { env: { ...environment } }),
    // Its sandbox does not run as root, and containers often have a tiny /dev/shm.
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  })
}
