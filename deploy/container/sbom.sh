#!/bin/sh
# Writes what Debian packages are installed here, as SPDX 2.3 in JSON; of the time SOURCE_DATE_EPOCH.
#   sbom.sh >FILE
set -eu
packages=$(dpkg-query --show --showformat='${db:Status-Abbrev} ${Package} ${Version} ${Architecture}\n' |
  sed -n 's/^ii *//p' | LC_ALL=C sort)
version=$(dpkg-query --show --showformat='${Version}' parityd)
created=$(date --utc --date="@${SOURCE_DATE_EPOCH:-0}" +%Y-%m-%dT%H:%M:%SZ)
digest=$(printf '%s\n' "$packages" | sha256sum | cut -c 1-32)
printf '%s\n' "$packages" | awk -v version="$version" -v created="$created" -v digest="$digest" '
  function quoted(text) { return "\"" text "\"" }
  BEGIN {
    print "{"
    print "  \"spdxVersion\": \"SPDX-2.3\","
    print "  \"dataLicense\": \"CC0-1.0\","
    print "  \"SPDXID\": \"SPDXRef-DOCUMENT\","
    print "  \"name\": " quoted("parityd-" version) ","
    print "  \"documentNamespace\": " quoted("urn:parityd:sbom:" version ":" digest) ","
    print "  \"creationInfo\": {\"created\": " quoted(created) ", \"creators\": [\"Tool: dpkg-query\"]},"
    print "  \"packages\": ["
  }
  {
    id[NR] = $1 "-" $3
    gsub(/\+/, "-plus", id[NR])
    encoded = $2
    gsub(/\+/, "%2B", encoded)
    gsub(/:/, "%3A", encoded)
    name = $1
    gsub(/\+/, "%2B", name)
    printf "%s    {\"SPDXID\": %s, \"name\": %s, \"versionInfo\": %s, \"downloadLocation\": \"NOASSERTION\",\n", \
      NR > 1 ? ",\n" : "", quoted("SPDXRef-" id[NR]), quoted($1), quoted($2)
    printf "     \"filesAnalyzed\": false, \"licenseConcluded\": \"NOASSERTION\", \"licenseDeclared\": %s,\n", \
      quoted($1 == "parityd" ? "Apache-2.0" : "NOASSERTION")
    printf "     \"copyrightText\": \"NOASSERTION\""
    if ($1 == "parityd") {
      own = id[NR]
    } else {
      printf ",\n     \"externalRefs\": [{\"referenceCategory\": \"PACKAGE-MANAGER\", \"referenceType\": \"purl\",\n"
      printf "       \"referenceLocator\": %s}]", \
        quoted("pkg:deb/debian/" name "@" encoded "?arch=" $3 "&distro=debian-12")
    }
    printf "}"
  }
  END {
    print "\n  ],"
    print "  \"relationships\": ["
    printf "    {\"spdxElementId\": \"SPDXRef-DOCUMENT\", \"relationshipType\": \"DESCRIBES\", \"relatedSpdxElement\": %s}\n", \
      quoted("SPDXRef-" own)
    print "  ]"
    print "}"
  }'
