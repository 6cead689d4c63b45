import { accessSync, constants } from 'node:fs'
import { type Browser, chromium, firefox } from 'playwright-core'

/** Debian's chromium, which also shows PDF files. CHROMIUM names another browser. */
const wholeBrowser = process.env.CHROMIUM ?? '/usr/bin/chromium'
/** The same engine without windows (Debian's chromium-headless-shell): needs a quarter less CPU time. */
const headlessShell = '/usr/bin/chromium-headless-shell'

interface ChromiumOptions {
  /** Whether the page shows a PDF, which the headless shell cannot. Default: false. */
  readonly showsPdf?: boolean
}

/** Only against a page that hangs: several times what the slowest takes on a busy machine. */
export const pageTimeoutMs = 120_000

/** For the `skip` of tests: why Chromium cannot be started, or false if it can. */
export function absenceOfChromium(): string | false {
  if (isProgram(wholeBrowser)) return false
  return `no Chromium at ${wholeBrowser}: install chromium or set CHROMIUM`
}

/**
 * Starts a headless browser, which the caller closes. Its locale is UTF-8, as on a desktop: in the C
 * locale it can neither read nor write files with names that are not ASCII.
 */
export function startChromium({ showsPdf = false }: ChromiumOptions = {}): Promise<Browser> {
  const executablePath = showsPdf ? wholeBrowser : chromiumPath()
  return chromium.launch({ executablePath, env: { ...process.env, LC_ALL: 'C.UTF-8' } })
}

/** Debian's firefox-esr. FIREFOX names another. */
const firefoxPath = process.env.FIREFOX ?? '/usr/bin/firefox-esr'

/** For the `skip` of tests: why Firefox cannot be started, or false if it can. */
export function absenceOfFirefox(): string | false {
  if (isProgram(firefoxPath)) return false
  return `no Firefox at ${firefoxPath}: install firefox-esr or set FIREFOX`
}

/** Starts the Firefox of a distribution by WebDriver BiDi. Firefox keeps its own files in `home`. */
export function startFirefox(home: string): Promise<Browser> {
  const env = { ...process.env, HOME: home, LC_ALL: 'C.UTF-8' }
  return firefox.launch({ channel: 'moz-firefox', executablePath: firefoxPath, env })
}

/** The program for pages without PDF. */
export function chromiumPath(): string {
  const isShellEnough = process.env.CHROMIUM === undefined && isProgram(headlessShell)
  return isShellEnough ? headlessShell : wholeBrowser
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
