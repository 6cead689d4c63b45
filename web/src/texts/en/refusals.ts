/** What the service says in the words of S3 or of its API, in those of the dashboard. */
export const texts = () => ({
  /**
   * By the message of the service, or by its form, in which `{n}` is a value. The first form that fits counts. What is not here
   * is shown as it is.
   */
  ofService: {
    'At least one of the pre-conditions you specified did not hold.':
      'The file has changed in the meantime.',
    'The specified key does not exist.': 'The file no longer exists.',
    'The specified version does not exist.': 'The version no longer exists.',
    'The specified bucket does not exist.': 'The bucket does not exist.',
    'The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.':
      'The upload is no longer open.',
    'The bucket already exists, and you own it.': 'A bucket of this name exists already.',
    'We encountered an internal error. Please try again.':
      'The service failed. Try again; its log has the reason.',
    'Service is unable to handle request.': 'The service is busy. Try again in a moment.',
    'Please reduce your request rate.': 'Too many requests at once. Try again in a moment.',
    "The difference between the request time and the server's time is too large.":
      'The clock of this device differs too much from that of the server.',
    'The quota of the bucket {bucket} is {n} bytes: {more} more bytes would exceed it.':
      'The quota of the bucket {bucket} is used up.',
    // Of schemas: https://zod.dev.
    'Too small: expected string to have >=1 characters': 'Enter something.',
    'Too small: expected string to have >={n} characters': 'Use {n} characters or more.',
    'Too big: expected string to have <={n} characters': 'Use {n} characters or fewer.',
    'Too small: expected {kind} to be >={n}': 'Use {n} or more.',
    'Too big: expected {kind} to be <={n}': 'Use {n} or less.',
    'Too small: expected array to have >={n} items': 'Choose {n} or more.',
    'Too big: expected array to have <={n} items': 'Choose {n} or fewer.',
    'Invalid input: expected int, received {kind}': 'Use a whole number.',
    'Invalid input: expected number, received {kind}': 'Use a number.',
    'Invalid option: expected one of {options}': 'Choose one of {options}.',
    'Invalid string: must match pattern {pattern}': 'This is not in the expected form.',
    'Invalid ISO datetime': 'This is not a date with a time.',
  } as Readonly<Record<string, string>>,
})

export type RefusalTexts = ReturnType<typeof texts>
