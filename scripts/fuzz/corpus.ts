/**
 * The corpus of hostile requests. A row: the group, which says what the values are (see `toBytes` in cases.ts); what is
 * acceptable; and values between ` ¦ `.
 *
 * Acceptable are statuses, separated by spaces; `page=3` or `page=3,sold` (200 with this page of the first pets), `pet=5`
 * (200 with this pet), `new` (201 with what was sent, or 400, as the specification reads the body), `control` (what the
 * control API may respond), `own` (403 or 400).
 *
 * In a value, «x*9» repeats x, `#` in x is the number of the repetition, «ff» is a byte in hexadecimal, and KEY is the
 * accepted key. `\r`, `\n`, `\t` are control characters, except in JSON.
 */
export const corpus = String.raw`
line | 400 405 501 | get /v1/pets HTTP/1.1 ¦ Get /v1/pets HTTP/1.1 ¦ FROB /v1/pets HTTP/1.1 ¦ GET: /v1/pets HTTP/1.1
line | 400 405 501 | GE«00»T /v1/pets HTTP/1.1 ¦ «fffe» /v1/pets HTTP/1.1 ¦ «20»/v1/pets HTTP/1.1 ¦ GET\t/v1/pets\tHTTP/1.1
line | 400 405 501 | PUT /v1/pets HTTP/1.1 ¦ PATCH /v1/pets HTTP/1.1 ¦ DELETE /v1/pets HTTP/1.1 ¦ TRACE /v1/pets HTTP/1.1
line | 400 405 501 | PROPFIND /v1/pets HTTP/1.1 ¦ MKCOL /v1/pets HTTP/1.1 ¦ COPY /v1/pets HTTP/1.1 ¦ LOCK /v1/pets HTTP/1.1
line | 400 405 501 | SEARCH /v1/pets HTTP/1.1 ¦ LINK /v1/pets HTTP/1.1 ¦ PURGE /v1/pets HTTP/1.1 ¦ QUERY /v1/pets HTTP/1.1
line | 400 405 501 | REPORT /v1/pets HTTP/1.1 ¦ M-SEARCH /v1/pets HTTP/1.1 ¦ BIND /v1/pets HTTP/1.1
line | 400 405 414 431 501 | «A*65536» /v1/pets HTTP/1.1
line | 400 405 501 505 | PRI * HTTP/2.0
line | 400 505 | GET /v1/pets ¦ GET /v1/pets http/1.1 ¦ GET /v1/pets HTTP/1.2 ¦ GET /v1/pets HTTP/1.10 ¦ GET /v1/pets HTTP/01.1
line | 400 505 | GET /v1/pets HTTP/2.0 ¦ GET /v1/pets HTTP/9.9 ¦ GET /v1/pets HTTP/-1.1 ¦ GET /v1/pets HTTP/one
line | 400 414 431 505 | GET /v1/pets HTTP/1.«1*65536»
line | 400 404 | GET HTTP/1.1 ¦ GET  HTTP/1.1 ¦ GET example.com:80 HTTP/1.1 ¦ GET v1/pets HTTP/1.1 ¦ GET \v1\pets HTTP/1.1
line | 400 404 | GET * HTTP/1.1 ¦ GET ftp://x/v1/pets HTTP/1.1 ¦ GET javascript:alert(1) HTTP/1.1 ¦ GET /v1/pets/«c3a9» HTTP/1.1
line | 400 404 | GET /v1/pets/\t HTTP/1.1 ¦ GET /v1/pets/«1b»[2J HTTP/1.1 ¦ GET /v1/pets/«7f» HTTP/1.1
line | 400 404 | GET /v1/pets/<script>alert(1)</script> HTTP/1.1 ¦ GET /v1/pets/"\"{}|^ HTTP/1.1
line | 400 | GET /v1/pets HTTP/1.1 HTTP/1.1 ¦ GET /v1/pets?status=sold status HTTP/1.1 ¦ GET /v1/pets?a=\rb HTTP/1.1
line | 400 | GET /v1/pets?a=«00» HTTP/1.1
line | 308 400 404 | GET /v1/pets/?«0c» HTTP/1.1
line | 200 400 404 | GET /v1/pets#1 HTTP/1.1
line | 200 204 400 404 405 | OPTIONS * HTTP/1.1
line | page=3 | GET http://x/v1/pets?limit=3 HTTP/1.1
line | page=3 400 404 421 | GET http://elsewhere.example/v1/pets?limit=3 HTTP/1.1 ¦ GET https://x/v1/pets?limit=3 HTTP/1.1
line | page=3 400 404 | GET http://a:b@x/v1/pets?limit=3 HTTP/1.1
# Node's parser takes RTSP and ICE for HTTP/1.0. RFC 9112 section 3: any white space may stand for a single space.
line | page=3 400 505 | GET /v1/pets?limit=3 RTSP/1.0 ¦ GET /v1/pets?limit=3 ICE/1.0
line | page=3 400 | GET  /v1/pets?limit=3 HTTP/1.1 ¦ GET /v1/pets?limit=3#4 HTTP/1.1
line | page=3 400 | \r\n\r\nGET /v1/pets?limit=3 HTTP/1.1 ¦ \n\n\nGET /v1/pets?limit=3 HTTP/1.1
line | page=3 400 408 414 431 | GET «20*65536»/v1/pets?limit=3 HTTP/1.1 ¦ «0d0a*20000»GET /v1/pets?limit=3 HTTP/1.1

header | 400 | X-Odd ¦ : value ¦ X Odd: 1 ¦ X-Odd : 1 ¦ X-Odd\t: 1 ¦ X-«00»Odd: 1 ¦ X-«01»Odd: 1 ¦ X-«e9»: 1 ¦ X[Odd]: 1
header | 400 | X-Odd: a«00»b ¦ X-Odd: a\rX-Injected: 1 ¦ X-Odd: a«01»b ¦ X-Odd: «1b»[2J ¦ X-Odd: «7f»
header | page=3 | X-Empty: ¦ X-Bytes: «fffe80» ¦ X-Spaces:  \t a \t«20» ¦ __proto__: 1\r\n__proto__: 2 ¦ «X*4000»: 1
header | page=3 | constructor: 1\r\nprototype: 2\r\nhasOwnProperty: 3\r\ntoString: 4 ¦ Cookie: «a=b; *500»
header | page=3 | X-HTTP-Method-Override: DELETE\r\nX-Method-Override: PUT\r\nX-HTTP-Method: POST
header | page=3 | X-Original-URL: /v1/pets/1\r\nX-Rewrite-URL: /v1/pets/2 ¦ Trailer: Content-Length\r\nTE: trailers
header | page=3 | X-Forwarded-For: 127.0.0.1\r\nX-Forwarded-Host: evil\r\nForwarded: for=::1;host=evil;proto=https
header | page=3 | Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13
header | page=3 | Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA
header | page=3 | Connection: keep-alive\r\nKeep-Alive: timeout=1000000000, max=1000000000
header | page=3 | Connection: close, keep-alive, upgrade ¦ Accept: «application/json;q=0.1, *200»*/*
header | page=3 | User-Agent: () { :; }; echo vulnerable ¦ User-Agent: \${jndi:ldap://127.0.0.1:1/a}
header | page=3 206 416 | Range: bytes=0-0, -1, 5-1
header | page=3 304 412 | If-None-Match: *\r\nIf-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT
header | page=3 406 | Accept: text/html;q=0, application/json;q=0
header | page=3 417 | Expect: a-miracle
header | page=3 400 | X-Folded: a\r\n b\r\n\tc
first-header | page=3 400 | «20»X-Folded: a
header | page=3 400 431 | «a:b\r\n*2499»a:b
header | 400 431 | X-Large: «a*65536» ¦ «X*65536»: 1 ¦ «x-#: 1\r\n*20000»x: 1 ¦ X-Folded: a«\r\n b*20000» ¦ X-Large: «a*1048576»
host | 400 | «*0» ¦ Host: x\r\nHost: x\r\n ¦ Host: x\r\nHost: y\r\n ¦ Host: x\r\nhost: x\r\nHOST: x\r\n
host | page=3 400 | Host:\r\n ¦ Host: x, y\r\n ¦ Host: x/v1\r\n ¦ Host: a:b@x\r\n ¦ Host: «ff»\r\n ¦ Host: x:99999999\r\n
host | page=3 400 | Host: "><script>alert(1)</script>\r\n ¦ Host: «x*8000»\r\n
type | 201 | «*0» ¦ Content-Type: application/json\r\n ¦ CONTENT-TYPE: APPLICATION/JSON\r\n
type | 201 | Content-Type: application/json; charset=utf-8\r\n ¦ Content-Type: application/json; x=«y*8000»\r\n
type | 415 | Content-Type: text/plain\r\n ¦ Content-Type: application/jsonx\r\n ¦ Content-Type: application/xml\r\n
type | 415 | Content-Type: multipart/form-data; boundary=x\r\n ¦ Content-Type: application/x-www-form-urlencoded\r\n
type | 201 400 415 | Content-Type: application/json; charset=utf-16\r\n ¦ Content-Type: application/vnd.pets+json\r\n
type | 201 400 415 | Content-Type:\r\n ¦ Content-Type: application/json, text/plain\r\n
type | 201 400 415 | Content-Type: application/json\r\nContent-Type: text/plain\r\n
type | 201 400 415 | Content-Type: application/json\r\nContent-Encoding: gzip\r\n
type | 201 | Content-Type: application/json\r\nExpect: 100-continue\r\n

key | 401 | «*0» ¦ Bearer ¦ Bearer«20» ¦ KEY ¦ BearerKEY ¦ Bearer\tKEY ¦ Basic KEY ¦ Bearer * ¦ Bearer Bearer KEY ¦ Bearers KEY
key | 401 | Bearer KEY0 ¦ Bearer KEYKEY ¦ Bearer fuzz-key-012345678 ¦ Bearer FUZZ-KEY-0123456789 ¦ Bearer fuzz -key-0123456789
key | 401 | Bearer "KEY" ¦ Bearer fuzz%2Dkey%2D0123456789 ¦ Bearer token=KEY ¦ Bearer KEY, Bearer KEY ¦ Bearer true
key | 401 | Basic eDpmdXp6LWtleS0wMTIzNDU2Nzg5 ¦ Bearer ZnV6ei1rZXktMDEyMzQ1Njc4OQ== ¦ Bearer ' OR '1'='1 ¦ Bearer .*
key | 401 | Bearer null ¦ Bearer undefined ¦ Bearer __proto__ ¦ Bearer «fffe» ¦ Bearer «k*12000»
key | page=20 400 401 | Bearer\r\n KEY
key | page=20 401 | Bearer   KEY  \t
key-elsewhere | 401 | Proxy-Authorization: Bearer KEY ¦ X-Api-Key: KEY ¦ Cookie: Authorization=Bearer KEY; api_key=KEY
key-elsewhere | 401 | Authorization_: Bearer KEY
header | 400 401 | authorization: Bearer x ¦ authorization: Bearer KEY
keyless-query | 401 | access_token=KEY&api_key=KEY&Authorization=Bearer%20KEY
# Without a key nobody learns more, and nothing is stored.
keyless-body | 401 | «*0» ¦ { ¦ {"name":1} ¦ {"name":"x","categoryId":1} ¦ «ff» ¦ «[*50000»

path | 404 | / ¦ /v1 ¦ /pets ¦ /v2/pets ¦ /v1/store/orders ¦ /v1/pet/1 ¦ /V1/PETS ¦ /v1/Pets ¦ /v1/petss ¦ //v1/pets ¦ /v1//pets
path | 404 | /v1/pets//1 ¦ /v1/pets/1/photos ¦ /v1%2Fpets ¦ /v1/pets%2F1 ¦ /v1/pets%3Flimit=1 ¦ /v1/%2570ets ¦ /v1/pets%00
path | 404 | /v1%EF%BC%8Fpets ¦ /v1/pets;a=b ¦ /favicon.ico ¦ /../../../../etc/passwd ¦ /.env ¦ /v1/__proto__ ¦ /constructor
path | 404 | /v1/pets/%2e%2e/%2e%2e/%2e%2e/etc/passwd ¦ /admin ¦ /metrics
# A server may resolve dots.
path | 200 400 404 | /v1/./pets ¦ /v1/x/../pets ¦ /v1/%2e/pets ¦ /v1/x/%2E%2e/pets ¦ /./v1/pets ¦ /v1/pets/. ¦ /v1/pets/..
path | 200 400 404 | /v1/pets/../pets/1
path | 400 404 | /v1/% ¦ /v1/%1 ¦ /v1/%zz ¦ /v1/%E0%A4%A ¦ /v1/%C0%AF ¦ /v1/%ED%A0%80 ¦ /v1/%F5%80%80%80 ¦ /v1/%FF ¦ /v1/%u0031
path | 400 404 | /v1/1% ¦ /v1/1%2 ¦ /v1/%-1
pet-id | 400 404 | % ¦ %1 ¦ %zz ¦ %E0%A4%A ¦ %C0%AF ¦ %ED%A0%80 ¦ %F5%80%80%80 ¦ %FF ¦ %u0031 ¦ 1% ¦ 1%2 ¦ %-1
pet-id | 404 | 0 ¦ -1 ¦ 999999999 ¦ 2147483648 ¦ 4294967297 ¦ 9007199254740993 ¦ 9223372036854775807 ¦ -9223372036854775808
pet-id | 404 | 9223372036854775808 ¦ -9223372036854775809 ¦ 18446744073709551617 ¦ 340282366920938463463374607431768211457
pet-id | 404 | «1*1000» ¦ «9*10000» ¦ 1«0*5000»1 ¦ 1.0 ¦ 1e0 ¦ 1e999 ¦ %2B1 ¦ 0x1 ¦ 0o1 ¦ 1_0 ¦ 1,0 ¦ %201 ¦ 1%20 ¦ 1%0A ¦ 1%00
pet-id | 404 | %001 ¦ %D9%A1 ¦ %EF%BC%91 ¦ %C2%B9 ¦ NaN ¦ Infinity ¦ null ¦ undefined ¦ true ¦ __proto__ ¦ constructor ¦ toString
pet-id | 404 | 1%2F2 ¦ ..%2F1 ¦ %5C1 ¦ 1;v=2 ¦ %7B%22id%22%3A1%7D ¦ 1,2,3 ¦ {petId} ¦ %F0%9F%90%B6 ¦ $%7B7*7%7D ¦ %1B%5B2J
pet-id | 404 | %3Cscript%3Ealert(1)%3C%2Fscript%3E ¦ 1%0D%0AX-Injected:%201 ¦ 5//
pet-id | pet=5 | %35 ¦ 5?limit=0&status=nothing ¦ 5?
pet-id | pet=5 308 400 404 | 05 ¦ «0*5000»5 ¦ +5 ¦ 5/
query | 400 | limit=0 ¦ limit=101 ¦ limit=-1 ¦ limit=-0 ¦ limit=4294967297 ¦ limit=18446744073709551617 ¦ limit=«9*10000»
query | 400 | limit=5.0 ¦ limit=0.5 ¦ limit=1e1 ¦ limit=1e999 ¦ limit=0x10 ¦ limit=+5 ¦ limit=%2B5 ¦ limit=5%20 ¦ limit=5%00
query | 400 | limit=5%0A ¦ limit=NaN ¦ limit=Infinity ¦ limit=all ¦ limit= ¦ limit ¦ limit=%D9%A5 ¦ limit=5&limit=6
query | 400 | limit=5&limit=5 ¦ limit=5;status=sold ¦ limit=5?limit=6 ¦ limit=% ¦ limit==5 ¦ a=%zz ¦ «limit=5&*1499»limit=5
query | 400 | status=Sold ¦ status=sold%20 ¦ status=sold%00 ¦ status=sold,pending ¦ status=sold&status=pending ¦ status=
query | 400 | status=__proto__ ¦ status=constructor ¦ status=toString ¦ status=undefined ¦ status=«sold*3000»
query | 400 | status=«a*59»%F0%9F%90%B6 ¦ status=%3Cimg%20src=x%20onerror=alert(1)%3E ¦ status=%1B%5D0;x%07
query | 400 | status=%E2%80%A8%0D%0A ¦ status=%C0%AFsold ¦ status=%ED%A0%80
query | page=20 | «*0» ¦ &&& ¦ limit[]=5 ¦ limit[gt]=5 ¦ LIMIT=5 ¦ offset=5&cursor=x&page=2 ¦ «a#=&*2000»
query | page=20 | __proto__=1&constructor=2&hasOwnProperty=3 ¦ __proto__[limit]=1&constructor.prototype.limit=1
query | page=1 | limit=1
query | page=100 | limit=100
query | page=5 | limit=%35 ¦ %6Cimit=5 ¦ ===&=5&limit=5
query | page=5 400 | limit=«0*10000»5
query | page=20,available | status=available
query | page=5,pending | status=pending&limit=5
query | page=7,sold | limit=7&status=sold
query | page=3,sold | status=%73old&limit=3
line | 414 | GET /v1/pets/«9*65536» HTTP/1.1 ¦ GET /v1/pets?status=«9*65536» HTTP/1.1

body | new | «*0» ¦ «20» ¦ «00» ¦ null ¦ true ¦ 7 ¦ "x" ¦ [] ¦ [{"name":"Rex","categoryId":1}] ¦ {} ¦ {"name":"Rex"} ¦ {"categoryId":1}
body | new | {"name":null,"categoryId":1} ¦ {"name":1,"categoryId":1} ¦ {"name":["Rex"],"categoryId":1}
body | new | {"name":"Rex","categoryId":null} ¦ {"name":"Rex","categoryId":"1"} ¦ {"name":"Rex","categoryId":true}
body | new | {"name":"Rex","categoryId":[1]} ¦ {"name":"Rex","categoryId":{"valueOf":1}} ¦ {"Name":"Rex","CategoryId":1}
body | new | {"name":"Rex","categoryId":1,"status":null} ¦ {"name":"Rex","categoryId":1,"status":""}
body | new | {"name":"Rex","categoryId":1,"status":"Sold"} ¦ {"name":"Rex","categoryId":1,"status":"__proto__"}
body | new | {"name":"Rex","categoryId":1,"status":["sold"]} ¦ {"name\u0000":"Rex","categoryId":1}
body | new | {"name":"Rex","categoryId":1 ¦ {"name":"Rex ¦ {"name":"Rex","categoryId":1,} ¦ {"name":"Rex","categoryId":1} x
body | new | {"name":"Rex","categoryId":1}«00» ¦ {"name":"Rex","categoryId":1}{"name":"Rex","categoryId":1}
body | new | {'name':'Rex','categoryId':1} ¦ {name:"Rex",categoryId:1} ¦ /* x */{"name":"Rex","categoryId":1}
body | new | {«c2a0»"name":"Rex","categoryId":1} ¦ {"name":"Rex«0a»","categoryId":1} ¦ {"name":"Rex«09»","categoryId":1}
body | new | {"name":"Rex«00»","categoryId":1} ¦ {"name":"Rex\x41","categoryId":1} ¦ {"name":"Rex\u00","categoryId":1}
body | new | name=Rex&categoryId=1 ¦ name: Rex«0a»categoryId: 1«0a» ¦ {"__proto__":{"name":"Rex","categoryId":1}}
body | new | <?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><pet><name>Rex&e;</name></pet>
body | new | {"name":"Rex«ff»","categoryId":1} ¦ {"name":"Rex«e282»","categoryId":1} ¦ {"name":"Rex«c0af»","categoryId":1}
body | new | {"name":"Rex«eda080»","categoryId":1} ¦ {"name":"Rex«f5808080»","categoryId":1} ¦ {"name":"Rex«e9»","categoryId":1}
body | new | {"__proto__":null,"name":"Rex","categoryId":1} ¦ {"__proto__":[],"name":"Rex","categoryId":1}
body | new | {"__proto__":{"status":"hacked","isAdmin":true},"name":"Rex","categoryId":1}
body | new | {"constructor":{"prototype":{"status":"hacked"}},"name":"Rex","categoryId":1}
body | new | {"toJSON":"x","valueOf":1,"toString":2,"then":3,"name":"Rex","categoryId":1}
body | new | {"id":1,"name":"Rex","categoryId":1} ¦ {"id":1e999,"name":"Rex","categoryId":1}
body | new | {"id":"../1","name":"Rex","categoryId":1} ¦ {"\u006eame":"Rex","c\u0061tegoryId":1}
body | new | «0d0a09» { "name" :«09»"Rex" ,«0d0a»"categoryId": 1 } «0a» ¦ «[*500000»«]*500000» ¦ «[*1000000»
body | new | «{"a":*150000»1«}*150000» ¦ {"categoryId":1,"name":«[*200000»«]*200000»} ¦ «[*200000»9007199254740993«]*200000»
body | new | {"name":"Rex","categoryId":1,"x":«[*400000»«]*400000»} ¦ {"name":"Rex","categoryId":1,"x":[«0,*400000»0]}
body | new | {"name":"Rex","categoryId":9007199254740993,"x":«[{"a":*100000»1«}]*100000»}
body | new | {"name":"Rex","categoryId":1,"x":«{"__proto__":*60000»1«}*60000»} ¦ {"name":"Rex",«"m#":1,*80000»"categoryId":1}
body | new | {"name":"Rex","categoryId":1,"x":[«9007199254740993,*50000»0]} ¦ {"name":"Rex",«"x":1,*150000»"categoryId":1}
body | new | {"name":"Rex",«"#65536":1,*50000»"categoryId":1} ¦ {"name":"Rex","categoryId":1}«20*1048547»
body | new 400 | «efbbbf»{"name":"Rex","categoryId":1} ¦ {"name":"\ud800","categoryId":1} ¦ {"name":"x\udfff","categoryId":1}
body | new 400 | {"name":"\udc36\ud83d","categoryId":1} ¦ {"name":"\ud83dx","categoryId":1}
# A server takes one of two equal properties, or rejects the body.
body | 201 400 | {"name":"Rex","name":"Bo","categoryId":1} ¦ {"name":"Rex","categoryId":1,"n\u0061me":"Bo"}
body | 201 400 | {"name":"Rex","categoryId":1,"categoryId":9007199254740993}
large-body | 413 | {"name":"Rex","categoryId":1}«20*1048548» ¦ {"name":"Rex","categoryId":1}«20*4194304»
keyless-body | 401 413 | {"name":"Rex","categoryId":1}«20*1048548»
number | 201=7 | 7 ¦ 7.0 ¦ 7e0 ¦ 70E-1 ¦ 0.07e2 ¦ 7.«0*1000000» ¦ 7«0*1000000»e-1000000 ¦ 700e-2 ¦ 0.7e«0*100000»1
number | 201=0 | 0 ¦ -0 ¦ 0e999999999
number | 201=-1 | -1 ¦ -1.0
number | 201=2147483648 | 2147483648
number | 201=9007199254740991 | 9007199254740991
number | 201=9007199254740993 | 9007199254740993
number | 201=-9007199254740993 | -9007199254740993
number | 201=9223372036854775807 | 9223372036854775807 ¦ 9223372036854775807.000 ¦ 9.223372036854775807e18
number | 201=9223372036854775806 | 9223372036854775806
number | 201=-9223372036854775808 | -9223372036854775808
number | 201=1000000000000000000 | 1e18
number | 400 | 9223372036854775808 ¦ -9223372036854775809 ¦ 18446744073709551615 ¦ 18446744073709551617 ¦ 1e19 ¦ 1E400 ¦ 1e999
number | 400 | -1e999 ¦ 1e-400 ¦ 1e999999999999 ¦ 1e-999999999999 ¦ 1.5 ¦ 1.«0*28»1 ¦ 0.«9*29» ¦ «9*1000000» ¦ 0.«9*1000000»
number | 400 | 1«0*1000000»1 ¦ 1.«0*1000000»1
not-json | 400 | NaN ¦ Infinity ¦ -Infinity ¦ undefined ¦ 01 ¦ +1 ¦ .5 ¦ 5. ¦ 1e ¦ 0x1 ¦ 1_000 ¦ 1.2.3 ¦ - ¦ 1n ¦ 1/* x */ ¦ 1 // x«0a»
not-json | 400 | '1' ¦ True ¦ alert(1)
name | new | «*0» ¦ «20» ¦ «f09f90b6» ¦ «65cc81cca7» ¦ «e280ae»abc«e281a6» ¦ «e280a8e280a9c285» ¦ «efbbbf»x ¦ «efbfbff48fbfbf» ¦ 1e999
name | new | <script>alert(1)</script> ¦ \${7*7}{{7*7}}<%= 7 %> ¦ '; DROP TABLE pets; -- ¦ __proto__ ¦ a\u0000b
name | new | \u0001\u001b[2J\u007f ¦ \" \\ \/ \b \f \n \r \t \u00e9 ¦ \ud83d\udc36 ¦ {\"id\":1} ¦ x\r\nX-Injected: 1
name | new | Z«cc80cc81cc82*200» ¦ «x*100000» ¦ «\u0041*50000» ¦ «\\*100000»

# N is the length of a smuggled request, or 5. Nobody can know where such a body ends.
smuggling | 400 411 415 501 | Content-Length: N\r\nTransfer-Encoding: chunked ¦ Content-Length: N\r\nTRANSFER-ENCODING: CHUNKED
smuggling | 400 411 415 501 | Content-Length: N\r\nTransfer-Encoding:  chunked«20» ¦ Content-Length: N\r\nTransfer-Encoding:\tchunked
smuggling | 400 411 415 501 | Content-Length: N\r\nTransfer-Encoding:\r\n chunked ¦ Content-Length: N\r\nTransfer-Encoding : chunked
smuggling | 400 411 415 501 | Content-Length: N\r\nX: y\rTransfer-Encoding: chunked ¦ Content-Length: N\r\nTransfer-Encoding: xchunked
smuggling | 400 411 415 501 | Content-Length: N\r\nTransfer-Encoding: identity ¦ Content-Length: N\r\nTransfer-Encoding: «00»chunked
smuggling | 400 411 415 501 | Content-Length: N\r\nTransfer-Encoding: «0b»chunked ¦ Content-Length: N\r\nTransfer-Encoding:
smuggling | 400 411 415 501 | Content-Length: N\r\nContent-Length: 0 ¦ Content-Length: 0\r\nContent-Length: N
smuggling | 400 411 415 501 | Content-Length: N\r\nContent-Length: N\r\nContent-Length: N ¦ Content-Length: N, 0 ¦ Content-Length: N, N
smuggling | 400 411 415 501 | Content-Length: +N ¦ Content-Length: -1 ¦ Content-Length: 0xN ¦ Content-Length: 1e2 ¦ Content-Length: N.0
smuggling | 400 411 415 501 | Content-Length: N 0 ¦ Content-Length: many ¦ Content-Length: ¦ Content-Length: "N" ¦ Content-Length : N
smuggling | 400 411 415 501 | Content-Length: 18446744073709551616 ¦ X: y\rContent-Length: N ¦ Content-Length: «efbc95»
smuggling | 400 411 415 501 | Transfer-Encoding: chunked\r\nContent-Length: N ¦ Transfer-Encoding: identity ¦ Transfer-Encoding: xchunked
smuggling | 400 411 415 501 | Transfer-Encoding: chunked, chunked ¦ Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked
smuggling | 400 411 415 501 | Transfer-Encoding: chunked, identity ¦ Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip
smuggling | 400 411 415 501 | Transfer-Encoding: "chunked" ¦ Transfer-Encoding: chunked;x=y
# SIZE is 1d, the length of DATA: {"name":"Rex","categoryId":1}. Behind a bad chunk follows a smuggled request.
bad-chunks | 400 413 431 | xyz\r\nDATA\r\n0\r\n\r\n ¦ \r\nDATA\r\n0\r\n\r\n ¦ -SIZE\r\nDATA\r\n0\r\n\r\n ¦ +SIZE\r\nDATA\r\n0\r\n\r\n
bad-chunks | 400 413 431 | 0xSIZE\r\nDATA\r\n0\r\n\r\n ¦ 0_SIZE\r\nDATA\r\n0\r\n\r\n ¦ «20»SIZE\r\nDATA\r\n0\r\n\r\n
bad-chunks | 400 413 431 | fffffffffffffffff\r\nDATA\r\n0\r\n\r\n ¦ 1000000000000000SIZE\r\nDATA\r\n0\r\n\r\n ¦ 1b\r\nDATA\r\n0\r\n\r\n
bad-chunks | 400 413 431 | SIZE\r\nDATA0\r\n\r\n ¦ SIZE«00»\r\nDATA\r\n0\r\n\r\n ¦ SIZE\rDATA\r\n0\r\n\r\n ¦ SIZE;«01»\r\nDATA\r\n0\r\n\r\n
bad-chunks | 400 413 431 | SIZE;a\rb\r\nDATA\r\n0\r\n\r\n ¦ SIZE\r\nDATA\r\n0\r\nX-Odd\r\n\r\n ¦ SIZE\r\nDATA\r\n0\r\nX-Odd: «00»\r\n\r\n
bad-chunks | 400 413 431 | SIZE\r\nDATA\r\n0\r\nX-Odd: «x*65536»\r\n\r\n ¦ SIZE;«x*65536»\r\nDATA\r\n0\r\n\r\n
chunks | 201=1 | SIZE\r\nDATA\r\n0\r\n\r\n ¦ 0000000SIZE\r\nDATA\r\n0\r\n\r\n ¦ 1D\r\nDATA\r\n0\r\n\r\n ¦ SIZE\r\nDATA\r\n00000000\r\n\r\n
chunks | 201=1 | SIZE;a=b;c="d e"\r\nDATA\r\n0;x\r\n\r\n ¦ SIZE\r\nDATA\r\n0\r\nX-A: 1\r\nX-B: 2\r\n\r\n ¦ 1\r\n{\r\n1c\r\n"name":"Rex","categoryId":1}\r\n0\r\n\r\n
# RFC 9110 section 6.5.1: such trailers are not headers. A server may reject them.
chunks | 201=1 400 | SIZE\r\nDATA\r\n0\r\nContent-Length: 9\r\nTransfer-Encoding: identity\r\nAuthorization: Bearer x\r\nHost: y\r\n\r\n
chunks | 413 | «10000\r\n«20*65536»\r\n*16»1\r\n \r\n0\r\n\r\n
chunks | 400 413 | «1;«x*1000»\r\n \r\n*40»0\r\n\r\n
# RFC 9112 section 6.1: a body in another coding is not read as if it had none.
coded-chunks | 400 415 501 | gzip, chunked ¦ deflate, chunked ¦ x, chunked ¦ chunked, chunked

prefer | page=3 400 | «*0» ¦ respond-async, wait=10, handling=lenient, return=minimal ¦ code=000 ¦ code=99 ¦ code=100 ¦ code=204
prefer | page=3 400 | code=302 ¦ code=600 ¦ code=__proto__ ¦ code=503.5 ¦ code=4e2 ¦ code= ¦ code=«fffe» ¦ delay=1e308
prefer | page=3 400 | delay=«9*400» ¦ delay=-1 ¦ delay=NaN ¦ fault=explode ¦ fault=__proto__ ¦ fault=constructor ¦ «,*5000»
prefer | page=3 400 | «;*5000» ¦ «=*5000» ¦ «a#=b,*1000»a=b
# These take long to read if their quotes are tried in all ways: twenty of them within 4 s.
prefer-20 | page=3 400 | «"*14999» ¦ «"\*7000» ¦ «\"*7000» ¦ «a="b,*2800» ¦ code=«20*14000»x
prefer | 400 | code=400
prefer | 401 | code=401
prefer | 404 | code=404
prefer | 409 | code=409
prefer | 429 | code=429
prefer | 500 | code=500
prefer | 503 | code=503
prefer | 599 | code=599
prefer-post | 503 | code=503
key-elsewhere | 401 | Prefer: code=503, delay=60

control-host | own | evil.example ¦ localhost.evil.example ¦ 127.0.0.1.evil.example ¦ evillocalhost ¦ 0.0.0.0 ¦ 192.168.0.1
control-host | own | 2130706433 ¦ 0x7f000001 ¦ 0177.0.0.1 ¦ [::ffff:8.8.8.8] ¦ [::2] ¦ [::1 ¦ localhost@evil.example
control-host | own | localhost/evil.example ¦ localhost:80:80 ¦ localhost, evil.example ¦ localhost evil.example ¦ «*0»
control-host | own | localhost%00.evil.example ¦ localhost«efbc8e»evil.example
control-host | 200 | localhost ¦ LOCALHOST:4010 ¦ 127.0.0.1 ¦ 127.0.0.1:1 ¦ [::1] ¦ [::1]:65535 ¦ pets.localhost
control-page | own | Origin: https://evil.example ¦ Origin: null ¦ Origin: file:// ¦ Origin: http://127.0.0.1:1
control-page | own | Origin: https://127.0.0.1 ¦ Origin: http://127.0.0.1.evil.example ¦ Sec-Fetch-Site: cross-site
control-page | own | Origin: http://127.0.0.1\r\nOrigin: http://evil.example ¦ Sec-Fetch-Site: same-site
control-page | own | Origin: http://127.0.0.1\r\nSec-Fetch-Site: cross-site
control-reset | own | Origin: https://evil.example ¦ Origin: null ¦ Origin: file:// ¦ Origin: http://127.0.0.1:1
control-reset | own | Origin: https://127.0.0.1 ¦ Origin: http://127.0.0.1.evil.example ¦ Sec-Fetch-Site: cross-site
control-reset | own | Origin: http://127.0.0.1\r\nOrigin: http://evil.example ¦ Sec-Fetch-Site: same-site
control-reset | own | Origin: http://127.0.0.1\r\nSec-Fetch-Site: cross-site
control-preflight | own | Origin: https://evil.example\r\nAccess-Control-Request-Method: POST
# What a form of a page can send.
control-reset | 403 415 | Content-Type: text/plain ¦ Content-Type: application/x-www-form-urlencoded
control-reset | 403 415 | Content-Type: multipart/form-data; boundary=x
control-path | control | / ¦ //pets ¦ /../v1/pets ¦ /%2e%2e/v1/pets ¦ /pets/% ¦ /pets/%C0%AF ¦ /pets/%00 ¦ /pets/«9*10000»
control-path | control | /pets/1e999 ¦ /__proto__ ¦ /sandboxes/constructor ¦ /sandboxes/__proto__/pets ¦ /sandboxes/nobody/pets
control-path | control | /sandboxes/%2e%2e/pets ¦ /explain/__proto__ ¦ /explain/%3Cscript%3Ealert(1)%3C%2Fscript%3E
control-path | control | /explain/«x*10000» ¦ /snapshots/__proto__ ¦ /rules/__proto__ ¦ /..%2f..%2f..%2fetc%2fpasswd ¦ /PETS
control-path | control | /journal?limit=1e999&status=NaN&operation=__proto__ ¦ /journal?limit=% ¦ /journal?limit=1&limit=2
control-path | control | /scorecard?reporter=__proto__
control-write | control | «*0» ¦ { ¦ null ¦ 1e999 ¦ "x" ¦ [null,null] ¦ {"__proto__":{"name":"x"},"constructor":1} ¦ {«ff»}
control-write | control | {"profile":{"list.order":{"toString":1,"valueOf":1}},"explain":{"toString":1}} ¦ {"ms":1«0*500000»1}
control-write | control | «[*200000»«]*200000» ¦ «{"a":*100000»1«}*100000» ¦ [«{},*100000»{}]
`
