# AWS SDK for Ruby: a bucket made, objects written, read by range, copied, uploaded in parts, presigned and removed.
require 'aws-sdk-s3'
require 'digest'
require 'net/http'
require 'securerandom'

def assert(holds, message = 'not as expected')
  raise message unless holds
end

def same(got, expected)
  assert Digest::SHA256.hexdigest(got) == Digest::SHA256.hexdigest(expected), 'other bytes'
end

client = Aws::S3::Client.new(
  endpoint: ENV.fetch('ENDPOINT'), region: 'us-east-1', force_path_style: true,
  access_key_id: ENV.fetch('ACCESS_KEY'), secret_access_key: ENV.fetch('SECRET_KEY')
)
resource = Aws::S3::Resource.new(client: client)
bucket = resource.create_bucket(bucket: ENV.fetch('BUCKET'))
small = SecureRandom.bytes(70_000)
large = SecureRandom.bytes(26 * 1024 * 1024 + 5)

object = bucket.object('folder/small one+é.bin')
object.put(body: small, content_type: 'text/plain', metadata: { 'color' => 'blue' }, acl: 'public-read')
assert object.content_type == 'text/plain' && object.metadata == { 'color' => 'blue' }
same object.get.body.read, small
same object.get(range: 'bytes=10-99').body.read, small[10..99]
File.binwrite('large.bin', large)
bucket.object('large.bin').upload_file('large.bin', multipart_threshold: 5 * 1024 * 1024)
bucket.object('large.bin').download_file('downloaded.bin')
same File.binread('downloaded.bin'), large
bucket.object('streamed.bin').upload_stream { |stream| stream << large }
same bucket.object('streamed.bin').get.body.read, large
bucket.object('copied.bin').copy_from(bucket.object('large.bin'), multipart_copy: true)
same bucket.object('copied.bin').get.body.read, large
assert bucket.objects.map(&:key).sort == ['copied.bin', 'folder/small one+é.bin', 'large.bin', 'streamed.bin']
same Net::HTTP.get(URI(object.presigned_url(:get))), small
bucket.object('absent').delete
assert !bucket.object('absent').exists?
object.acl.put(acl: 'private')
bucket.clear!
bucket.delete
assert !bucket.exists?
