#include "base/platform/rights_windows.hpp"

#include <aclapi.h>
#include <fmt/format.h>
#include <sddl.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace clgemm {
namespace {

// An identity: a user, a group or the system.
class Sid {
 public:
  explicit Sid(PSID sid) {
    const DWORD bytes = ::GetLengthSid(sid);
    words_.resize((bytes + sizeof(DWORD) - 1) / sizeof(DWORD));
    ::CopySid(bytes, words_.data(), sid);
  }

  bool is(PSID other) const { return ::EqualSid(get(), other) != 0; }
  PSID get() const { return const_cast<DWORD*>(words_.data()); }

 private:
  std::vector<DWORD> words_;
};

// Returns a text like "S-1-5-18".
std::string digits_of(PSID sid) {
  wchar_t* text = nullptr;
  if (::ConvertSidToStringSidW(sid, &text) == 0) return "an unknown identity";
  std::string result = std::filesystem::path(text).string();
  ::LocalFree(text);
  return result;
}

std::string name_of(PSID sid) {
  wchar_t name[256];
  wchar_t domain[256];
  DWORD name_length = 256;
  DWORD domain_length = 256;
  SID_NAME_USE kind{};
  if (::LookupAccountSidW(nullptr, sid, name, &name_length, domain, &domain_length, &kind) == 0)
    return digits_of(sid);
  const std::wstring whole = domain_length == 0 ? name : std::wstring(domain) + L"\\" + name;
  return std::filesystem::path(whole).string();
}

std::vector<std::byte> token_information(TOKEN_INFORMATION_CLASS what) {
  HANDLE token = nullptr;
  if (::OpenProcessToken(::GetCurrentProcess(), TOKEN_QUERY, &token) == 0) return {};
  const Handle closes(token);
  DWORD bytes = 0;
  ::GetTokenInformation(token, what, nullptr, 0, &bytes);
  std::vector<std::byte> result(bytes);
  if (::GetTokenInformation(token, what, result.data(), bytes, &bytes) == 0) return {};
  return result;
}

// Returns this user and the owner of everything that this process makes. If the process has an
// administrator's rights, that owner is the administrators' group.
std::vector<Sid> our_sids() {
  std::vector<Sid> result;
  if (const auto user = token_information(TokenUser); !user.empty())
    result.emplace_back(reinterpret_cast<const TOKEN_USER*>(user.data())->User.Sid);
  if (const auto owner = token_information(TokenOwner); !owner.empty())
    result.emplace_back(reinterpret_cast<const TOKEN_OWNER*>(owner.data())->Owner);
  return result;
}

std::vector<Sid> sids_of(std::initializer_list<const wchar_t*> names) {
  std::vector<Sid> result;
  for (const wchar_t* name : names) {
    PSID sid = nullptr;
    if (::ConvertStringSidToSidW(name, &sid) == 0) continue;
    result.emplace_back(sid);
    ::LocalFree(sid);
  }
  return result;
}

// Returns the system, the administrators, and Windows's own installer, which owns the files that come with
// Windows.
std::vector<Sid> masters() {
  return sids_of(
      {L"S-1-5-18", L"S-1-5-32-544", L"S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464"});
}

// Returns the identities that stand for the owner.
std::vector<Sid> owners_names() {
  return sids_of({L"S-1-3-0", L"S-1-3-4"});
}

bool has(const std::vector<Sid>& sids, PSID sid) {
  return std::any_of(sids.begin(), sids.end(), [sid](const Sid& one) { return one.is(sid); });
}

// Returns whether an entry lets somebody change the file, or make or delete files in the folder.
bool lets_write(const ACE_HEADER* entry, ACCESS_MASK mask) {
  constexpr ACCESS_MASK changes = FILE_WRITE_DATA | FILE_APPEND_DATA | FILE_DELETE_CHILD | WRITE_DAC |
                                  WRITE_OWNER | GENERIC_WRITE | GENERIC_ALL;
  return (entry->AceFlags & INHERIT_ONLY_ACE) == 0 && (mask & changes) != 0;
}

// Returns who else may write; nullopt if nobody.
std::optional<std::string> other_writer(PACL list, const std::vector<std::vector<Sid>>& expected) {
  if (list == nullptr) return "everybody";
  for (DWORD i = 0; i < list->AceCount; ++i) {
    void* entry = nullptr;
    if (::GetAce(list, i, &entry) == 0) return "somebody";
    const auto* header = static_cast<const ACE_HEADER*>(entry);
    if (header->AceType == ACCESS_DENIED_ACE_TYPE) continue;
    if (header->AceType != ACCESS_ALLOWED_ACE_TYPE) return "some user, under a condition,";
    auto* allowed = static_cast<ACCESS_ALLOWED_ACE*>(entry);
    PSID const sid = &allowed->SidStart;
    const bool is_expected = std::any_of(expected.begin(), expected.end(),
                                         [sid](const std::vector<Sid>& sids) { return has(sids, sid); });
    if (lets_write(header, allowed->Mask) && !is_expected) return name_of(sid);
  }
  return std::nullopt;
}

}  // namespace

std::string distrust_of(HANDLE opened, Owner wanted) {
  if (wanted == Owner::anyone) return {};
  PSID owner = nullptr;
  PACL list = nullptr;
  PSECURITY_DESCRIPTOR descriptor = nullptr;
  const DWORD failure =
      ::GetSecurityInfo(opened, SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION,
                        &owner, nullptr, &list, nullptr, &descriptor);
  if (failure != ERROR_SUCCESS)
    return "its owner is unknown: " + std::system_category().message(static_cast<int>(failure));
  struct Freed {
    PSECURITY_DESCRIPTOR descriptor;
    ~Freed() { ::LocalFree(descriptor); }
  };
  const Freed freed{descriptor};
  const std::vector<Sid> us = our_sids();
  if (!has(us, owner) && (wanted != Owner::this_user_or_root || !has(masters(), owner))) {
    return fmt::format("it belongs to {}, not to this user{}", name_of(owner),
                       wanted == Owner::this_user_or_root ? " or the administrators" : "");
  }
  const std::optional<std::string> writer = other_writer(list, {us, masters(), owners_names()});
  return writer ? *writer + " may write to it" : std::string{};
}

std::error_code make_own_folder(const std::filesystem::path& path) {
  std::string rights = "D:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)";
  for (const Sid& sid : our_sids()) rights += fmt::format("(A;OICI;FA;;;{})", digits_of(sid.get()));
  SECURITY_ATTRIBUTES attributes = {sizeof attributes, nullptr, FALSE};
  const std::wstring text = std::filesystem::path(rights).wstring();
  if (::ConvertStringSecurityDescriptorToSecurityDescriptorW(text.c_str(), SDDL_REVISION_1,
                                                             &attributes.lpSecurityDescriptor, nullptr) == 0)
    return last_windows_error();
  const bool made = ::CreateDirectoryW(path.c_str(), &attributes) != 0;
  const std::error_code failure = made ? std::error_code() : last_windows_error();
  ::LocalFree(attributes.lpSecurityDescriptor);
  return failure;
}

}  // namespace clgemm
