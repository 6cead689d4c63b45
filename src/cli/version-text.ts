import { packageVersion } from '../package-folder.ts'

/** The version of the program and of what it runs on, for reports of defects. */
export function versionText(): string {
  return `bucketry ${packageVersion()} (Node.js ${process.versions.node}, ${process.platform} ${process.arch})`
}
