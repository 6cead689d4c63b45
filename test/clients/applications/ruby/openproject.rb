# OpenProject: attachments through fog-aws, and the form that its page sends straight to the store.
require 'base64'
require 'fog/aws'
require 'json'
require 'net/http'
require 'securerandom'

def assert(holds, message = 'not as expected')
  raise message unless holds
end

endpoint, name = ENV.values_at('ENDPOINT', 'BUCKET')
storage = Fog::Storage.new(
  provider: 'AWS', endpoint: endpoint, path_style: true, region: 'us-east-1',
  aws_access_key_id: ENV.fetch('ACCESS_KEY'), aws_secret_access_key: ENV.fetch('SECRET_KEY')
)
small = SecureRandom.bytes(70_000)
directory = storage.directories.new(key: name)
stored = directory.files.create(
  key: 'uploads/attachment/file/1/a b.pdf', body: small, content_type: 'application/pdf', public: false
)
assert Net::HTTP.get(URI(stored.url(Time.now + 300))) == small
assert Net::HTTP.get_response(URI("#{endpoint}/#{name}/uploads/attachment/file/1/a%20b.pdf")).code == '403'

# carrierwave_direct's form: status 201, and the type that the policy names.
now = Time.now.utc
credential = "#{ENV.fetch('ACCESS_KEY')}/#{now.strftime('%Y%m%d')}/us-east-1/s3/aws4_request"
fields = {
  'key' => 'uploads/attachment/file/2/c.png', 'acl' => 'private', 'success_action_status' => '201',
  'Content-Type' => 'image/png', 'X-Amz-Algorithm' => 'AWS4-HMAC-SHA256', 'X-Amz-Credential' => credential,
  'X-Amz-Date' => now.strftime('%Y%m%dT%H%M%SZ')
}
conditions = fields.reject { |key, _| key == 'key' }.map { |key, value| { key => value } } + [
  ['starts-with', '$utf8', ''], ['starts-with', '$key', 'uploads/'], { 'bucket' => name },
  ['content-length-range', 1, 5_242_880]
]
policy = Base64.strict_encode64({ expiration: (now + 3600).strftime('%Y-%m-%dT%H:%M:%SZ'), conditions: conditions }.to_json)
key = [now.strftime('%Y%m%d'), 'us-east-1', 's3', 'aws4_request'].reduce("AWS4#{ENV.fetch('SECRET_KEY')}") do |secret, part|
  OpenSSL::HMAC.digest('sha256', secret, part)
end
signed = fields.merge('policy' => policy, 'X-Amz-Signature' => OpenSSL::HMAC.hexdigest('sha256', key, policy), 'utf8' => '')
request = Net::HTTP::Post.new(URI("#{endpoint}/#{name}"), 'Origin' => 'https://openproject.example.com')
request.set_form(signed.to_a + [['file', small, { filename: 'c.png', content_type: 'image/png' }]], 'multipart/form-data')
reply = Net::HTTP.start(request.uri.host, request.uri.port) { |http| http.request(request) }
assert reply.code == '201' && reply.body.include?('<Key>uploads/attachment/file/2/c.png</Key>'), reply.body
assert ['*', 'https://openproject.example.com'].include?(reply['access-control-allow-origin']), 'no CORS'
found = directory.files.get('uploads/attachment/file/2/c.png')
assert found.body == small && found.content_type == 'image/png'
found.copy(name, 'uploads/attachment/file/3/c.png')
assert directory.files.all(prefix: 'uploads/attachment/').length == 3
directory.files.each(&:destroy)
