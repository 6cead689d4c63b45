import AwsS3 from '@uppy/aws-s3'
import Uppy from '@uppy/core'

/**
 * The page of an application: uploads a file by Uppy, and returns what Uppy says about it. `signRequest` asks the
 * application's backend. After the first part, the upload is paused and goes on, or is cancelled.
 */
globalThis.uploadByUppy = async ({ name, size, options, afterFirstPart }) => {
  const uppy = new Uppy()
  const { credentials, ...others } = options
  uppy.use(AwsS3, {
    generateObjectKey: (file) => file.name,
    ...(credentials === undefined
      ? { signRequest: globalThis.signRequest }
      : { getCredentials: () => credentials }),
    ...others,
  })
  const content = new Uint8Array(size).map((_, index) => index * 7 + (index >> 8))
  const id = uppy.addFile({ name, type: 'text/plain', data: new Blob([content]) })
  const interruptions = {
    pause() {
      uppy.pauseResume(id)
      setTimeout(() => uppy.pauseResume(id))
    },
    cancel: () => uppy.cancelAll(),
  }
  let parts = 0
  uppy.on('s3-multipart:part-uploaded', () => {
    parts += 1
    if (parts === 1) interruptions[afterFirstPart]?.()
  })
  const { successful, failed } = await uppy.upload()
  return { urls: successful.map((file) => file.uploadURL), errors: failed.map((one) => one.error) }
}
