import { DriveError } from './drive.ts'

/** Its message is for the owner alone: it has words or addresses of what is behind the drive. Clients get other words. */
export class PrivateDriveError extends DriveError {}
